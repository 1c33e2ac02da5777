import { jsonText, reply, type CatalogueError, type Reply, type UserPrincipal } from '@groupware/contracts';
import type { Reader } from '@groupware/persistence';
import { isOwnFolder, type AccessedFolder } from './object-folders';
import type { ObjectRepository } from './persistence/object.repository';

/**
 * A condition on objects in SQL, of any form: a statement that joins it with others, those of tenancy and rights first, puts it in
 * brackets. The module says how its parameters are numbered.
 */
export interface ObjectFilter {
  readonly where: string;
  readonly values: readonly unknown[];
}

/** Rows as a JSON array that is ready to be sent. */
export interface ObjectRows {
  readonly rows: string;
  readonly count: number;
  /** Newest stamp of the rows; 0 without any. */
  readonly newest: number;
}

/** One row, ready to be sent. */
export interface ObjectRow {
  readonly id: number;
  readonly folderId: number;
  readonly cells: string;
  readonly lastModified: number;
}

/** A request for objects that are gone. */
export interface GoneQuestion {
  readonly folderId: number;
  /** A stamp. */
  readonly since: number;
  /** The rights of the reader on the folder are newer than the stamp. */
  readonly rightsChanged: boolean;
  readonly maxRows: number;
}

/** Ids of objects that are gone, and the newest stamp of their ends; 0 without any. */
export interface GoneObjects {
  readonly ids: readonly number[];
  readonly newest: number;
}

/** A request for what changed in a folder. */
export interface UpdatesRequest {
  readonly folder: AccessedFolder;
  readonly user: UserPrincipal;
  /** The stamp up to which the client knows the folder. */
  readonly timestamp: number;
  readonly ignoresDeleted: boolean;
  readonly maxRows: number;
}

/** The objects of a module, for {@link listUpdates}. */
export interface UpdatesSource {
  readonly stamps: ObjectRepository;
  /** Objects of the folder with a stamp after this one. */
  listChanged(since: number, maxRows: number): Promise<ObjectRows>;
  listGone(question: GoneQuestion): Promise<GoneObjects>;
  readonly tooMany: (most: number) => CatalogueError;
  readonly resyncNeeded: (folderId: number, since: number, forgotten: number) => CatalogueError;
}

/**
 * The answer of `updates`: what changed since a timestamp; in a snapshot, of one moment. Stamps are given in the order of commits,
 * so nothing that is committed later has a stamp below the one that is answered. Others than the owner of a folder whose rights
 * changed are told everything anew, what they may no longer read among the deletions.
 */
export async function listUpdates(
  db: Reader,
  { folder, user, timestamp, ignoresDeleted, maxRows: most }: UpdatesRequest,
  { stamps, listChanged, listGone, tooMany, resyncNeeded }: UpdatesSource,
): Promise<Reply<unknown[]>> {
  const since = Math.min(Math.max(timestamp, 0), Number.MAX_SAFE_INTEGER);
  const rightsStamp = isOwnFolder(folder, user.userId) ? 0 : await stamps.getAccessStamp(db, folder.id);
  const rightsChanged = rightsStamp > since;
  // One message to the server.
  const [forgotten, changed, gone] = await Promise.all([
    ignoresDeleted || since === 0 ? 0 : stamps.getForgottenStamp(db),
    listChanged(rightsChanged ? 0 : since, most + 1),
    ignoresDeleted
      ? { ids: [], newest: 0 }
      : listGone({ folderId: folder.id, since, rightsChanged, maxRows: most + 1 }),
  ]);
  if (since < forgotten) throw resyncNeeded(folder.id, since, forgotten);
  if (changed.count > most || gone.ids.length > most) throw tooMany(most);
  const separator = changed.count > 0 && gone.ids.length > 0 ? ',' : '';
  return reply<unknown[]>(jsonText(`${changed.rows.slice(0, -1)}${separator}${gone.ids.join()}]`), {
    timestamp: Math.max(since, changed.newest, gone.newest, rightsStamp),
  });
}
