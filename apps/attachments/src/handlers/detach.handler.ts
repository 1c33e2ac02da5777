import { attachment, reply, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { AttachedObjects } from '../objects/attached-objects';
import { AttachmentRemover } from '../attachments/attachment-remover';
import { StoredFiles } from '../files/stored-files';

/** `detach`: removes attachments of an object; unknown ids are ignored. */
@Handles(attachment.detach)
export class DetachHandler implements Handler<typeof attachment.detach> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly objects: AttachedObjects,
    private readonly detachment: AttachmentRemover,
    private readonly files: StoredFiles,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof attachment.detach>) {
    await this.objects.requireAccess(principal, query, true);
    const { state, stamp, released } = await this.database.transact(principal, (tx) =>
      this.detachment.removeAttachments(tx, query, principal.userId, body),
    );
    await this.files.abandonContents(principal, released);
    if (state) await this.objects.notifyOwner(principal, state);
    return reply<Record<string, never>>({}, { timestamp: stamp });
  }
}
