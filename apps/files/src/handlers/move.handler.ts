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
import { isTransfer, StorageTransfers } from '../storages/storage-transfers';

/** `move` by PUT: several documents. */
@Handles(infostore.move)
export class MoveHandler implements Handler<typeof infostore.move> {
  constructor(
    private readonly places: DocumentPlaces,
    private readonly storages: StorageDocuments,
    private readonly transfers: StorageTransfers,
  ) {}

  async handle(call: CallOf<typeof infostore.move>) {
    const { principal, query, body } = call;
    const renames = query.autorename !== false;
    const crossing = body.filter(({ id }) => isTransfer(id, query.folder));
    const staying = body.filter((reference) => !crossing.includes(reference));
    // Folders of storages elsewhere move by changes of theirs.
    const isElsewhere = isStorageId(query.folder);
    if (staying.some(({ id, folder }) => id === undefined && (isElsewhere || isStorageId(folder))))
      throw FileStorageErrors.notSupported(query.folder);
    const { left: behind, warnings } =
      crossing.length > 0
        ? await this.transfers.moveSeveral(call, crossing, query.folder, {
            renames,
            ignoreWarnings: query.ignoreWarnings,
          })
        : { left: [], warnings: [] };
    if (isElsewhere) {
      const left = staying.length > 0 ? await this.storages.move(call, staying, query.folder, renames) : [];
      return reply<DocumentReference[]>([...behind, ...left], { warnings });
    }
    const target = parseTargetId(query.folder);
    if (body.length === 0) waiveCheck(FILE_RIGHTS.remove, 'nothing is named');
    const { left, timestamp } = await this.places.move(principal, staying, target, renames);
    return reply<DocumentReference[]>([...behind, ...left], { timestamp, warnings });
  }
}
