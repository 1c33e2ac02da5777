import { jsonText, onboarding, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Onboarding } from '../onboarding';
import { createProfileHeaders } from '../profile-file';

/** `onboarding?action=download`: a profile for Apple's devices. */
@Handles(onboarding.download)
export class OnboardingDownloadHandler implements Handler<typeof onboarding.download> {
  constructor(private readonly devices: Onboarding) {}

  async handle({ principal, query: { type }, edge }: CallOf<typeof onboarding.download>) {
    const text = await this.devices.createProfile(principal, type, edge!);
    return reply<string>(jsonText(text), { headers: createProfileHeaders(type) });
  }
}
