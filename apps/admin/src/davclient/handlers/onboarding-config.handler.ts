import { onboarding, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Onboarding } from '../onboarding';

/** `onboarding?action=config`: what can be set up. */
@Handles(onboarding.config)
export class OnboardingConfigHandler implements Handler<typeof onboarding.config> {
  constructor(private readonly devices: Onboarding) {}

  handle({ principal }: CallOf<typeof onboarding.config>) {
    return Promise.resolve(this.devices.getOnboardingData(principal));
  }
}
