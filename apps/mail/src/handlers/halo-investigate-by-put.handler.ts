import { halo, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { HaloFacts } from '../halo/halo-facts';

/** `halo/contact?action=investigate`: facts about the person of the body. */
@Handles(halo.investigateByPut)
export class HaloInvestigateByPutHandler implements Handler<typeof halo.investigateByPut> {
  constructor(private readonly facts: HaloFacts) {}

  handle(call: CallOf<typeof halo.investigateByPut>): Promise<unknown[][]> {
    return this.facts.investigate(call, call.query, call.body);
  }
}
