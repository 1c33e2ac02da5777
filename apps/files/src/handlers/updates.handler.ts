import {
  FileLimitErrors,
  infostore,
  jsonText,
  reply,
  type CallOf,
  type FileUpdatesQuery,
  type Handler,
  type Reply,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles, toJsonList } from '@groupware/service-kit';
import { isVirtualFolder, SHARED_FILES, toDocumentId } from '../domain/document-id';
import { FolderAccess, parseFileFolderId } from '../folders/folder-access';
import { DocumentRepository } from '../persistence/document.repository';
import { FIRST_FILTER_PARAMETER } from '../persistence/document.columns';
import {
  DocumentViewRepository,
  FILTERS,
  sharingChangedAfter,
  type DocumentRows,
} from '../persistence/document-view.repository';
import { StorageListing } from '../storages/storage-listing';
import { isStorageId } from '../storages/storage-id';
import { DocumentView } from '../views/document-view';
import { ExtendedPermissions } from '../views/extended-permissions';

/** Changed documents, and those that are gone. */
interface Changes {
  readonly changed: DocumentRows;
  readonly gone: { readonly ids: readonly number[]; readonly newest: number };
  /** Since when the rights of the user are as they are. */
  readonly rightsStamp: number;
}

const NOTHING_GONE = { ids: [], newest: 0 } as const;
const FIRST = FIRST_FILTER_PARAMETER;
/** Condition: a shared document changed, or came into sight of the reader, as of one who joined a group. */
const CHANGED_SHARED = `(d.last_modified > $${FIRST} or ${sharingChangedAfter(`$${FIRST}`)}) and ${FILTERS.shared}`;

/**
 * `updates`: what changed since a timestamp, of one moment. Stamps are given in the order of commits, so nothing that is
 * committed later has a stamp below the one that is answered. In a folder whose rights changed everything is told anew, what may
 * no longer be read among the deletions.
 */
@Handles(infostore.updates)
export class UpdatesHandler implements Handler<typeof infostore.updates> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly documents: DocumentRepository,
    private readonly access: FolderAccess,
    private readonly view: DocumentView,
    private readonly rows: DocumentViewRepository,
    private readonly extended: ExtendedPermissions,
    private readonly storages: StorageListing,
  ) {}

  async handle(call: CallOf<typeof infostore.updates>): Promise<Reply<unknown[]>> {
    const { principal, query } = call;
    const since = Math.min(Math.max(query.timestamp ?? 0, 0), Number.MAX_SAFE_INTEGER);
    if (isStorageId(query.folder))
      return this.storages.listChanged(call, query.folder, since, { ...query, ignoresDeleted: ignores(query) });
    const folderId = parseFileFolderId(query.folder);
    const most = await this.view.getMaxRows(principal);
    const { changed, gone, rightsStamp } =
      folderId === SHARED_FILES
        ? await this.findShared(principal, query, since, most)
        : isVirtualFolder(folderId)
          ? await this.findNothing(principal, query)
          : await this.findInFolder(principal, query, { folderId, since, most });
    if (changed.count > most || gone.ids.length > most) throw FileLimitErrors.tooMany(most);
    const timestamp = Math.max(since, changed.newest, gone.newest, rightsStamp);
    const ids = gone.ids.map((id) => toDocumentId(folderId, id));
    const cells = await this.extended.extendCells(principal, changed.rows, query);
    if (cells) return reply<unknown[]>(toJsonList<unknown>([...cells, ...ids]), { timestamp });
    const separator = changed.count > 0 && ids.length > 0 ? ',' : '';
    const tail = ids.map((id) => JSON.stringify(id)).join();
    return reply<unknown[]>(jsonText(`${changed.rows.slice(0, -1)}${separator}${tail}]`), { timestamp });
  }

  private findInFolder(
    user: UserPrincipal,
    query: FileUpdatesQuery,
    { folderId, since, most }: { folderId: number; since: number; most: number },
  ): Promise<Changes> {
    return this.database.read(
      user,
      async (db) => {
        const folder = await this.access.requireReadable(db, user, folderId);
        const rightsStamp = await this.documents.getAccessStamp(db, folderId);
        const rightsChanged = rightsStamp > since && since > 0;
        const ignoresDeleted = ignores(query);
        const forgotten = ignoresDeleted || since === 0 ? 0 : await this.documents.getForgottenStamp(db);
        if (since < forgotten) throw FileLimitErrors.resyncNeeded(folderId, since, forgotten);
        const reader = this.view.toReader(user, [folder], query.timezone);
        const where = `d.folder_id = $${FIRST} and d.last_modified > $${FIRST + 1} and ${FILTERS.inFolder}`;
        const changed = await this.rows.listRows(db, reader, {
          ...toOrder(query),
          filter: { where, values: [folderId, rightsChanged ? 0 : since] },
          from: 0,
          maxRows: most + 1,
        });
        const gone = ignoresDeleted
          ? NOTHING_GONE
          : await this.rows.listGone(db, reader, { folderId, since, rightsChanged, maxRows: most + 1 });
        return { changed, gone, rightsStamp };
      },
      { snapshot: true },
    );
  }

  private findShared(user: UserPrincipal, query: FileUpdatesQuery, since: number, most: number): Promise<Changes> {
    return this.database.read(
      user,
      async (db) => {
        const reader = this.view.toReader(user, [], query.timezone);
        const changed = await this.rows.listRows(db, reader, {
          ...toOrder(query),
          filter: { where: CHANGED_SHARED, values: [since] },
          viaShared: true,
          from: 0,
          maxRows: most + 1,
        });
        const gone = ignores(query) ? NOTHING_GONE : await this.rows.listUnshared(db, reader, since, most + 1);
        return { changed, gone, rightsStamp: await this.rows.getSharingStamp(db, reader) };
      },
      { snapshot: true },
    );
  }

  /** Folders that hold folders only have nothing to tell; the columns are looked at all the same. */
  private findNothing(user: UserPrincipal, query: FileUpdatesQuery): Promise<Changes> {
    return this.database.read(user, async (db) => {
      const reader = this.view.toReader(user, [], query.timezone);
      const filter = { where: 'false', values: [] };
      const changed = await this.rows.listRows(db, reader, { ...toOrder(query), filter, from: 0, maxRows: 1 });
      return { changed, gone: NOTHING_GONE, rightsStamp: 0 };
    });
  }
}

const toOrder = ({ columns, sort, order }: FileUpdatesQuery) => ({ columns, sort, order });

const ignores = ({ ignore }: FileUpdatesQuery): boolean =>
  (ignore ?? '').split(',').some((word) => word.trim() === 'deleted');
