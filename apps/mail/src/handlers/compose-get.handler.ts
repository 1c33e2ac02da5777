import { mailComposeSpace, type CallOf, type ComposeSpace, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ComposeSpaces } from '../compose/compose-spaces';

/** A mail that is being written. */
@Handles(mailComposeSpace.get)
export class ComposeGetHandler implements Handler<typeof mailComposeSpace.get> {
  constructor(private readonly spaces: ComposeSpaces) {}

  handle({ principal, query }: CallOf<typeof mailComposeSpace.get>): Promise<ComposeSpace> {
    return this.spaces.getSpace(principal, query);
  }
}
