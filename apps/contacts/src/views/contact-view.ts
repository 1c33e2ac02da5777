import { Injectable } from '@nestjs/common';
import {
  CONTACT_RIGHTS,
  ContactLimitErrors,
  jsonText,
  MAX_CONTACT_RESULTS,
  parseRowRange,
  reply,
  type ContactOrderQuery,
  type ContactShapeQuery,
  type CatalogueError,
  type Reply,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase, type Reader } from '@groupware/persistence';
import { BasePathSettings, Properties } from '@groupware/service-kit';
import { toReadable, type AccessedFolder } from '@groupware/folders';
import { resolveRequestZone } from '../domain/request-zone';
import { FolderAccess, requireReads } from '../folders/folder-access';
import { expandColumns } from '../persistence/contact.columns';
import {
  ContactViewRepository,
  FIRST_FILTER_PARAMETER,
  type ContactFilter,
  type ContactReader,
} from '../persistence/contact-view.repository';

/** Lists contacts for users. */
@Injectable()
export class ContactView {
  private readonly basePath: string;

  constructor(
    private readonly database: ModuleDatabase,
    private readonly access: FolderAccess,
    private readonly view: ContactViewRepository,
    private readonly properties: Properties,
    base: BasePathSettings,
  ) {
    this.basePath = base.basePaths()[0] ?? '';
  }

  /** Converts a user to a reader of these folders. */
  toReader(
    user: UserPrincipal,
    folders: readonly AccessedFolder[],
    { timezone, accountIds = false }: ContactShape = {},
  ): ContactReader {
    return {
      user,
      readable: toReadable(CONTACT_RIGHTS.read, folders, user),
      zone: resolveRequestZone(timezone, user.timeZone),
      basePath: this.basePath,
      hasAccountIds: accountIds,
    };
  }

  /** Most rows of one answer. */
  getMaxRows(user: UserPrincipal): Promise<number> {
    return this.properties.get(MAX_CONTACT_RESULTS, { contextId: user.contextId });
  }

  /**
   * Reads contacts with the folders that a question about some of them needs.
   * @throws FLD-0008, CON-0104 for a folder that is named
   */
  async readInFolders<T>(
    db: Reader,
    user: UserPrincipal,
    { folderId, columns }: { readonly folderId: number | undefined; readonly columns: readonly string[] },
    read: (folders: readonly AccessedFolder[]) => Promise<T>,
  ): Promise<T> {
    if (folderId === undefined || needsMembers(columns))
      return read(await this.findFolders(db, user, folderId, columns));
    return this.access.readInFolder(db, user, folderId, async (folder) => {
      requireReads(folder);
      return read([folder]);
    });
  }

  /**
   * The folders whose contacts a user may read, of which a question is about some: what members of lists refer to may lie
   * in others.
   * @throws FLD-0008, CON-0104 for a folder that is named
   */
  async findFolders(
    db: Reader,
    user: UserPrincipal,
    folderId: number | undefined,
    columns: readonly string[],
  ): Promise<AccessedFolder[]> {
    if (folderId !== undefined && !needsMembers(columns)) {
      const folder = await this.access.requireFolder(db, user, folderId);
      requireReads(folder);
      return [folder];
    }
    const visible = await this.access.listVisible(db, user);
    if (folderId !== undefined && !visible.some(({ id }) => id === folderId))
      requireReads(await this.access.requireFolder(db, user, folderId));
    for (const folder of visible) if (folder.id === folderId) requireReads(folder);
    return visible;
  }

  /** Answers the contacts of one folder, or of all, that meet a condition. @throws CONT-0001 */
  list(user: UserPrincipal, query: ContactOrderQuery, folderId: number | undefined, filter: ContactFilter = NO_FILTER) {
    return this.search(user, query, {
      folderIds: folderId === undefined ? undefined : [folderId],
      filter: folderId === undefined ? filter : inFolders([folderId], filter),
    });
  }

  /** Answers contacts that meet a condition. @throws FLD-0008, CON-0104 for folders that are named; CONT-0001 */
  async search(user: UserPrincipal, query: ContactOrderQuery, wanted: ContactSearch): Promise<Reply<unknown[][]>> {
    const most = await this.getMaxRows(user);
    const range = parseRowRange(query, most + 1);
    const { folderIds, filter, orderBy, warnings } = wanted;
    const found = await this.database.read(user, async (db) => {
      const scope = { folderId: filter.folderId, columns: query.columns };
      return this.readInFolders(db, user, scope, async (folders) => {
        for (const id of folderIds ?? [])
          requireReads(folders.find((folder) => folder.id === id) ?? (await this.access.requireFolder(db, user, id)));
        return this.view.listRows(db, this.toReader(user, folders, query), {
          ...query,
          ...range,
          filter: query.admin === false || query.exclude_admin ? withoutAdmin(filter) : filter,
          ...(orderBy !== undefined && { orderBy }),
        });
      });
    });
    if (found.count > most) throw ContactLimitErrors.tooMany(most);
    return reply<unknown[][]>(jsonText(found.rows), { timestamp: found.newest, ...(warnings && { warnings }) });
  }
}

/** How a request wants contacts answered. */
export type ContactShape = Pick<ContactShapeQuery, 'timezone' | 'accountIds'>;

/** A search for contacts. */
export interface ContactSearch {
  /** Folders that the request names: the user must be allowed to read in each. */
  readonly folderIds?: readonly number[];
  readonly filter: ContactFilter;
  /** Instead of the order that the request names. */
  readonly orderBy?: string;
  readonly warnings?: readonly CatalogueError[];
}

const MEMBERS: ReadonlySet<string> = new Set(['592', 'distribution_list']);

/** Whether columns tell members of lists, which may refer to contacts in other folders. */
const needsMembers = (columns: readonly string[]): boolean =>
  expandColumns(columns).some((column) => MEMBERS.has(column));

const NO_FILTER: ContactFilter = { where: 'true', values: [] };

/** Leaves out the contact of the administrator. */
const withoutAdmin = (filter: ContactFilter): ContactFilter => ({
  ...filter,
  where: `not a.is_admin and (${filter.where})`,
});

/** The condition for contacts of some folders. */
export function inFolders(folderIds: readonly number[], { where, values }: ContactFilter = NO_FILTER): ContactFilter {
  const parameter = `$${FIRST_FILTER_PARAMETER + values.length}`;
  const [folderId, ...others] = folderIds;
  // One folder leads to its rows also in a plan that is made for any values; a list does not.
  return folderId !== undefined && others.length === 0
    ? { where: `a.folder_id = ${parameter}::int and (${where})`, values: [...values, folderId], folderId }
    : { where: `a.folder_id = any(${parameter}::int[]) and (${where})`, values: [...values, folderIds] };
}
