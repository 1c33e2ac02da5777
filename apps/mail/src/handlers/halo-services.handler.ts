import { halo, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { HaloFacts } from '../halo/halo-facts';

/** `halo/contact?action=services`: providers that the user may ask. */
@Handles(halo.services)
export class HaloServicesHandler implements Handler<typeof halo.services> {
  constructor(private readonly facts: HaloFacts) {}

  handle({ principal }: CallOf<typeof halo.services>): Promise<string[]> {
    return Promise.resolve(this.facts.listProviders(principal));
  }
}
