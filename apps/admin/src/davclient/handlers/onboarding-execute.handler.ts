import { Inject } from '@nestjs/common';
import { FileReply, onboarding, PROFILE_TYPE, type CallOf, type Handler } from '@groupware/contracts';
import { FILES, type FileStore } from '@groupware/file-store';
import { Handles } from '@groupware/service-kit';
import { Onboarding } from '../onboarding';

const MAX_PROFILE_BYTES = 65_536;

/** `onboarding?action=execute`: does something for a device. */
@Handles(onboarding.execute)
export class OnboardingExecuteHandler implements Handler<typeof onboarding.execute> {
  constructor(
    private readonly devices: Onboarding,
    @Inject(FILES) private readonly files: FileStore,
  ) {}

  async handle({ principal, query, edge }: CallOf<typeof onboarding.execute>) {
    const { type, action } = this.devices.parseAction(query.id, query.action_id);
    if (action === 'display/davuser') return this.devices.getAccess(principal, type, edge!);
    if (action === 'link/davclient') return { link: await this.devices.createLink(principal, type, edge!) };
    const bytes = Buffer.from(await this.devices.createProfile(principal, type, edge!));
    const stored = await this.files.write(toStream(bytes), { maxBytes: MAX_PROFILE_BYTES });
    return new FileReply({
      reference: stored.reference,
      name: `${type}.mobileconfig`,
      contentType: PROFILE_TYPE,
      sizeBytes: stored.sizeBytes,
      temporary: true,
    });
  }
}

async function* toStream(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
