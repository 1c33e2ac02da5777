import { halo, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { HaloFacts } from '../halo/halo-facts';

/** `halo/contact?action=investigate`: facts about a person. */
@Handles(halo.investigate)
export class HaloInvestigateHandler implements Handler<typeof halo.investigate> {
  constructor(private readonly facts: HaloFacts) {}

  handle(call: CallOf<typeof halo.investigate>): Promise<unknown[][]> {
    const { email1, email2, email3, internal_userid, ...query } = call.query;
    return this.facts.investigate(call, query, { email1, email2, email3, internal_userid });
  }
}
