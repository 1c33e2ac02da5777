import { capabilities, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';

/** Lists the capabilities of the user. */
@Handles(capabilities.all)
export class CapabilitiesAllHandler implements Handler<typeof capabilities.all> {
  async handle({ principal }: CallOf<typeof capabilities.all>) {
    return principal.capabilities.map((id) => ({ id, attributes: {} }));
  }
}
