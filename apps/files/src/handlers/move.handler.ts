import {
  FILE_RIGHTS,
  FileStorageErrors,
  infostore,
  reply,
  waiveCheck,
  type CallOf,
  type CatalogueError,
  type DocumentReference,
  type FolderKey,
  type Handler,
} from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { DocumentPlaces } from '../documents/document-places';
import { parseFileFolderId, parseTargetId } from '../folders/folder-access';
import { FolderTransfers } from '../storages/folder-transfers';
import { StorageDocuments } from '../storages/storage-documents';
import { isStorageId } from '../storages/storage-id';
import { isTransfer, StorageTransfers } from '../storages/storage-transfers';

/** `move` by PUT: several documents and folders. */
@Handles(infostore.move)
export class MoveHandler implements Handler<typeof infostore.move> {
  constructor(
    private readonly places: DocumentPlaces,
    private readonly storages: StorageDocuments,
    private readonly transfers: StorageTransfers,
    private readonly folders: FolderTransfers,
  ) {}

  async handle(call: CallOf<typeof infostore.move>) {
    const { principal, query, body } = call;
    const renames = query.autorename !== false;
    const { ignoreWarnings } = query;
    const isElsewhere = isStorageId(query.folder);
    const files = body.filter(({ id }) => id !== undefined);
    const crossing = files.filter(({ id }) => isTransfer(id, query.folder));
    const staying = files.filter((reference) => !crossing.includes(reference));
    const lost = await this.moveFolders(call, renames);
    const { left: behind, warnings: told } =
      crossing.length > 0
        ? await this.transfers.moveSeveral(call, crossing, query.folder, { renames, ignoreWarnings })
        : { left: [], warnings: [] };
    const warnings = [...lost, ...told];
    if (isElsewhere) {
      const left = staying.length > 0 ? await this.storages.move(call, staying, query.folder, renames) : [];
      return reply<DocumentReference[]>([...behind, ...left], { warnings });
    }
    const target = parseTargetId(query.folder);
    if (body.length === 0) waiveCheck(FILE_RIGHTS.remove, 'nothing is named');
    const { left, timestamp } = await this.places.move(principal, staying, target, renames);
    return reply<DocumentReference[]>([...behind, ...left], { timestamp, warnings });
  }

  /** Moves the folders among the references; what the new storage does not keep of them. */
  private async moveFolders(
    call: CallOf<typeof infostore.move>,
    autorename: boolean,
  ): Promise<readonly CatalogueError[]> {
    const { query, body } = call;
    const ids = body.flatMap(({ id, folder }) => (id === undefined ? [folder ?? ''] : []));
    if (ids.length === 0) return [];
    const toKey = (id: string): FolderKey => (isStorageId(id) ? id : parseFileFolderId(id));
    const parent = isStorageId(query.folder) ? query.folder : parseTargetId(query.folder);
    const [across, within] = [true, false].map((crosses) =>
      ids.filter((id) => isTransfer(id, query.folder) === crosses).map((id) => ({ id: toKey(id), parent, autorename })),
    );
    const { warnings } = await this.folders.moveFolders(call, across!, {
      ignoreWarnings: query.ignoreWarnings,
      refusal: FileStorageErrors.movesAbortedByWarnings,
    });
    await this.folders.moveWithin(call, within!);
    return warnings;
  }
}
