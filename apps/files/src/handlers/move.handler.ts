import {
  FILE_RIGHTS,
  FileStorageErrors,
  infostore,
  reply,
  waiveCheck,
  type CallOf,
  type DocumentReference,
  type Handler,
} from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { DocumentPlaces } from '../documents/document-places';
import { parseTargetId } from '../folders/folder-access';
import { StorageDocuments } from '../storages/storage-documents';
import { isStorageId } from '../storages/storage-id';

/** `move` by PUT: several documents. */
@Handles(infostore.move)
export class MoveHandler implements Handler<typeof infostore.move> {
  constructor(
    private readonly places: DocumentPlaces,
    private readonly storages: StorageDocuments,
  ) {}

  async handle(call: CallOf<typeof infostore.move>) {
    const { principal, query, body } = call;
    const elsewhere = body.find(({ id, folder }) => isStorageId(id ?? folder));
    if (isStorageId(query.folder) || elsewhere) {
      // Files go from one storage into another by copies, and folders by changes of theirs.
      if (!body.every(({ id }) => isStorageId(id))) throw FileStorageErrors.notSupported(query.folder);
      const staying = await this.storages.move(call, body, query.folder, query.autorename !== false);
      return reply<DocumentReference[]>(staying, {});
    }
    const target = parseTargetId(query.folder);
    if (body.length === 0) waiveCheck(FILE_RIGHTS.remove, 'nothing is named');
    const { left, timestamp } = await this.places.move(principal, body, target, query.autorename !== false);
    return reply<DocumentReference[]>([...left], { timestamp });
  }
}
