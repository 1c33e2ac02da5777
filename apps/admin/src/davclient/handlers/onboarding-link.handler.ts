import { onboarding, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Onboarding } from '../onboarding';

/** `onboarding?action=link`: a link that sets a DAV client up, once. */
@Handles(onboarding.link)
export class OnboardingLinkHandler implements Handler<typeof onboarding.link> {
  constructor(private readonly devices: Onboarding) {}

  handle({ principal, query, edge }: CallOf<typeof onboarding.link>) {
    return this.devices.createLink(principal, query.type, edge!);
  }
}
