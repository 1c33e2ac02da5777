import { directory, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Resellers } from '../configuration/resellers';

/** Whether there is a reseller. */
@Handles(directory.knowsReseller)
export class KnowsResellerHandler implements Handler<typeof directory.knowsReseller> {
  constructor(private readonly resellers: Resellers) {}

  async handle({ query }: CallOf<typeof directory.knowsReseller>): Promise<boolean> {
    return (await this.resellers.loadTree()).findReseller(query.name) !== undefined;
  }
}
