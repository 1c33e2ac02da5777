import {
  FILE_RIGHTS,
  infostore,
  reply,
  RequestErrors,
  waiveCheck,
  type CallOf,
  type CatalogueError,
  type Handler,
  type Reply,
} from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { parseDocumentId } from '../domain/document-id';
import { fieldsOfBody } from '../domain/document-input';
import { DocumentCopier } from '../documents/document-copier';
import { DocumentNotices } from '../documents/document-notices';
import { StorageDocuments } from '../storages/storage-documents';
import { isStorageId } from '../storages/storage-id';
import { isTransfer, StorageTransfers } from '../storages/storage-transfers';

/** `copy` by PUT: one document with other values, or several into a folder. */
@Handles(infostore.copy)
export class CopyHandler implements Handler<typeof infostore.copy> {
  constructor(
    private readonly copier: DocumentCopier,
    private readonly notices: DocumentNotices,
    private readonly storages: StorageDocuments,
    private readonly transfers: StorageTransfers,
  ) {}

  async handle(call: CallOf<typeof infostore.copy>): Promise<Reply<string | object>> {
    const { principal, query, body } = call;
    if (query.id !== undefined) {
      const { folder: _folder, ...changes } = body[0] ?? {};
      const fields = fieldsOfBody(changes);
      if (isTransfer(query.id, fields.folder_id)) {
        const { id, timestamp, warnings } = await this.transfers.copy(call, query.id, query.version, fields);
        return reply<string>(id, { timestamp, warnings });
      }
      if (isStorageId(query.id))
        return this.storages.toReply(call, await this.storages.copy(call, query.id, fields), false);
      const named = parseDocumentId(query.id);
      const copied = await this.copier.copy(principal, named, query.version, fields, undefined);
      return this.notices.toReply(call, copied, fields, false);
    }
    const { folder } = query;
    if (folder === undefined) throw RequestErrors.missingParameter('folder');
    if (body.length === 0) waiveCheck(FILE_RIGHTS.create, 'nothing is named');
    const ids: string[] = [];
    const lost: CatalogueError[] = [];
    let timestamp = 0;
    for (const { id, folder: source } of body) {
      if (id === undefined) throw RequestErrors.missingParameter('id');
      if (isTransfer(id, folder)) {
        const copied = await this.transfers.copy(call, id, undefined, { folder_id: folder });
        ids.push(copied.id);
        lost.push(...copied.warnings);
        continue;
      }
      if (isStorageId(id)) {
        const stored = await this.storages.toReply(
          call,
          await this.storages.copy(call, id, { folder_id: folder }),
          false,
        );
        ids.push(stored.data as string);
        continue;
      }
      const named = parseDocumentId(id, source);
      const copied = await this.copier.copy(principal, named, undefined, { folder_id: folder }, undefined);
      ids.push(copied.id);
      timestamp = Math.max(timestamp, copied.timestamp);
    }
    return reply<string[]>(ids, { timestamp, warnings: lost });
  }
}
