import { capabilities, type CallOf, type Capability, type Handler } from '@groupware/contracts';
import { AnnouncedCapabilities, Handles } from '@groupware/service-kit';

/** One capability, or an empty object. */
@Handles(capabilities.get)
export class CapabilitiesGetHandler implements Handler<typeof capabilities.get> {
  constructor(private readonly announced: AnnouncedCapabilities) {}

  async handle({ principal, query }: CallOf<typeof capabilities.get>): Promise<Capability | Record<string, never>> {
    const id = query.id.toLowerCase();
    return this.announced.list(principal).includes(id) ? { id, attributes: {} } : {};
  }
}
