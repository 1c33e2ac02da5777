import { infostore, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { parseDocumentId } from '../domain/document-id';
import { DocumentPlaces } from '../documents/document-places';
import { parseTargetId } from '../folders/folder-access';
import { StorageDocuments } from '../storages/storage-documents';
import { isStorageId } from '../storages/storage-id';
import { isTransfer, StorageTransfers } from '../storages/storage-transfers';

/** `move` by GET: one document. */
@Handles(infostore.moveOne)
export class MoveOneHandler implements Handler<typeof infostore.moveOne> {
  constructor(
    private readonly places: DocumentPlaces,
    private readonly storages: StorageDocuments,
    private readonly transfers: StorageTransfers,
  ) {}

  async handle(call: CallOf<typeof infostore.moveOne>) {
    const { principal, query } = call;
    if (isTransfer(query.id, query.folder)) {
      const { id, timestamp, warnings } = await this.transfers.move(call, query.id, { folder_id: query.folder }, query);
      return reply<string>(id, { timestamp, warnings });
    }
    if (isStorageId(query.id))
      return reply<string>(await this.storages.moveOne(call, query.id, query.folder, query.timestamp), {});
    const named = parseDocumentId(query.id);
    const { id, timestamp } = await this.places.moveOne(principal, named, parseTargetId(query.folder), query.timestamp);
    return reply<string>(id, { timestamp });
  }
}
