import { infostore, reply, type CallOf, type DocumentReference, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { DocumentPlaces } from '../documents/document-places';
import { StorageDocuments } from '../storages/storage-documents';
import { isStorageId } from '../storages/storage-id';

/** `delete`: into the trash, or for good. */
@Handles(infostore.delete)
export class DeleteHandler implements Handler<typeof infostore.delete> {
  constructor(
    private readonly places: DocumentPlaces,
    private readonly storages: StorageDocuments,
  ) {}

  async handle(call: CallOf<typeof infostore.delete>) {
    const { principal, query, body } = call;
    const elsewhere = body.filter(({ id }) => isStorageId(id));
    const stored = body.filter(({ id }) => !isStorageId(id));
    const { left, timestamp } =
      stored.length > 0 || elsewhere.length === 0
        ? await this.places.delete(principal, stored, query.timestamp, query.hardDelete === true)
        : { left: [], timestamp: 0 };
    const staying = elsewhere.length > 0 ? await this.storages.delete(call, elsewhere, query.timestamp) : [];
    return reply<DocumentReference[]>([...left, ...staying], { ...(timestamp > 0 && { timestamp }) });
  }
}
