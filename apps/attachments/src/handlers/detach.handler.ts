import { attachment, reply, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { AttachedObjects } from '../attached-objects';
import { Detachment } from '../detachment';
import { StoredFiles } from '../stored-files';

/** `detach`: removes attachments of an object; unknown ids are ignored. */
@Handles(attachment.detach)
export class DetachHandler implements Handler<typeof attachment.detach> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly objects: AttachedObjects,
    private readonly detachment: Detachment,
    private readonly files: StoredFiles,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof attachment.detach>) {
    await this.objects.require(principal, query, true);
    const { state, stamp, released } = await this.database.transact(principal, (tx) =>
      this.detachment.remove(tx, query, principal.userId, body),
    );
    await this.files.giveUp(principal, released);
    if (state) await this.objects.tell(principal, state);
    return reply<Record<string, never>>({}, { timestamp: stamp });
  }
}
