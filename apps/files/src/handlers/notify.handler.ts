import {
  errorObject,
  FileLimitErrors,
  FileStorageErrors,
  infostore,
  InfostoreErrors,
  type CallOf,
  type DirectoryEntity,
  type DocumentNotified,
  type Handler,
} from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { parseDocumentId } from '../domain/document-id';
import { DocumentLocks } from '../documents/document-locks';
import { DocumentNotices } from '../documents/document-notices';

/** `notify`: tells users, groups and guests by mail about a document that is shared with them by itself. */
@Handles(infostore.notify)
export class NotifyHandler implements Handler<typeof infostore.notify> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly directory: Directory,
    private readonly locks: DocumentLocks,
    private readonly notices: DocumentNotices,
  ) {}

  async handle(call: CallOf<typeof infostore.notify>): Promise<DocumentNotified> {
    const { principal, query, body } = call;
    const notification = body.notification ?? {};
    const named = parseDocumentId(query.id);
    const entities = [...new Set(body.entities.map((text) => parseEntity(text, query.id)))];
    const known = await this.directory.getEntities(principal, entities);
    const guests = entities.filter((entity) => known.get(entity)?.kind === 'guest');
    const told = entities.filter((entity) => !guests.includes(entity));
    const document = await this.database.transact(principal, async (tx) => {
      const { document, access } = await this.locks.requireReadable(tx, principal, named);
      if (!access.mayShare) throw InfostoreErrors.mustNotWrite(document.id);
      const shared = new Set(document.permissions.map(({ entity }) => entity));
      const other = entities.find((entity) => !shared.has(entity));
      if (other !== undefined) throw FileStorageErrors.notShared(other, query.id);
      await this.notices.publishNotice(tx, principal, document, told, notification);
      return document;
    });
    const failed = await this.notices.inviteGuests(call, document, guests, notification);
    const links = guests
      .filter((entity) => isLink(known.get(entity)))
      .map((entity) => FileLimitErrors.linkNotTold(entity));
    return { warnings: [...links, ...failed].map((error) => errorObject(error, principal.locale)) };
  }
}

const isLink = (entity: DirectoryEntity | undefined): boolean => entity?.kind === 'guest' && entity.anonymous;

/** @throws FILE_STORAGE-0062 for what is no entity */
function parseEntity(text: string, id: string): number {
  if (!/^\d{1,9}$/.test(text)) throw FileStorageErrors.notShared(text, id);
  return Number(text);
}
