import {
  errorObject,
  FileLimitErrors,
  filesEvents,
  FileStorageErrors,
  infostore,
  InfostoreErrors,
  type CallOf,
  type DocumentNotified,
  type Handler,
} from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { parseDocumentId } from '../domain/document-id';
import { DocumentLocks } from '../documents/document-locks';

/** `notify`: tells users and groups by mail about a document that is shared with them by itself. */
@Handles(infostore.notify)
export class NotifyHandler implements Handler<typeof infostore.notify> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly directory: Directory,
    private readonly locks: DocumentLocks,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof infostore.notify>): Promise<DocumentNotified> {
    const named = parseDocumentId(query.id);
    const entities = [...new Set(body.entities.map((text) => parseEntity(text, query.id)))];
    const known = await this.directory.getEntities(principal, entities);
    const guests = entities.filter((entity) => known.get(entity)?.kind === 'guest');
    const told = entities.filter((entity) => !guests.includes(entity));
    await this.database.transact(principal, async (tx) => {
      const { document, access } = await this.locks.requireReadable(tx, principal, named);
      if (!access.mayShare) throw InfostoreErrors.mustNotWrite(document.id);
      const shared = new Set(document.permissions.map(({ entity }) => entity));
      const other = entities.find((entity) => !shared.has(entity));
      if (other !== undefined) throw FileStorageErrors.notShared(other, query.id);
      if (told.length === 0) return;
      const { title, filename } = document.current;
      await tx.publish(filesEvents['document.shared'], {
        id: document.id,
        title: title ?? filename ?? '',
        userId: principal.userId,
        entities: told,
        ...(body.notification?.message && { message: body.notification.message }),
      });
    });
    return { warnings: guests.map((entity) => errorObject(FileLimitErrors.guestNotTold(entity), principal.locale)) };
  }
}

/** @throws FILE_STORAGE-0062 for what is no entity */
function parseEntity(text: string, id: string): number {
  if (!/^\d{1,9}$/.test(text)) throw FileStorageErrors.notShared(text, id);
  return Number(text);
}
