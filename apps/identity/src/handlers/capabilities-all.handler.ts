import { capabilities, type CallOf, type Handler } from '@groupware/contracts';
import { AnnouncedCapabilities, Handles } from '@groupware/service-kit';

/** Lists the capabilities of the user. */
@Handles(capabilities.all)
export class CapabilitiesAllHandler implements Handler<typeof capabilities.all> {
  constructor(private readonly announced: AnnouncedCapabilities) {}

  async handle({ principal }: CallOf<typeof capabilities.all>) {
    return this.announced.list(principal).map((id) => ({ id, attributes: {} }));
  }
}
