import {
  CAPABILITIES_SERVED_ELSEWHERE,
  isCapabilityServed,
  MAIL_SERVER,
  needsMailServer,
  type UserPrincipal,
} from '@groupware/contracts';
import type { Properties } from './properties';

/**
 * Capabilities of a user that clients are told: of those granted the part that this installation serves, by a module of its
 * own or by a server beside it (`com.example.capabilities.servedElsewhere`); mail only where there is a mail server.
 */
export class AnnouncedCapabilities {
  constructor(private readonly properties: Pick<Properties, 'serverValue'>) {}

  /** Those of the capabilities of a user that clients may offer, in their order. */
  list({ capabilities, hasMailServer: hasOwn }: Pick<UserPrincipal, 'capabilities' | 'hasMailServer'>): string[] {
    const elsewhere = this.properties.serverValue(CAPABILITIES_SERVED_ELSEWHERE).split(',');
    const served = new Set(elsewhere.map((id) => id.trim().toLowerCase()));
    const hasMailServer = hasOwn === true || this.properties.serverValue(MAIL_SERVER) !== '';
    return capabilities.filter(
      (id) => (isCapabilityServed(id) && (hasMailServer || !needsMailServer(id))) || served.has(id),
    );
  }
}
