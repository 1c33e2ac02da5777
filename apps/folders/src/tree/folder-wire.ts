import {
  FolderData,
  fieldOfColumn,
  fieldsOf,
  type DirectoryGuest,
  type FieldDescription,
  type FolderPermission,
} from '@groupware/contracts';
import type { ZoneOffsets } from '@groupware/recurrence';
import type { FolderTree } from './folder-tree';
import type { TreeFolder } from './tree-folder';

/** How folders are shown. */
export interface FolderView {
  readonly tree: FolderTree;
  readonly zone: ZoneOffsets;
  readonly names: ReadonlyMap<number, string>;
  readonly guests: ReadonlyMap<number, DirectoryGuest>;
  /** Addresses of shares by guest, for who may know them. */
  readonly addresses?: ReadonlyMap<number, string>;
  /** Set when a guest looks: guests do not learn who else sees a folder. */
  readonly viewedByGuest?: number;
  readonly locale: string;
  /** The stamp up to which the tree is complete, ms UTC. */
  readonly stamp: number;
  /** True for folders of the modules that the request asks for. */
  readonly isAllowed: (folder: TreeFolder) => boolean;
}

/** `standard_folder_type` by module. */
const STANDARD_TYPE: Readonly<Record<string, number>> = { tasks: 1, calendar: 2, contacts: 3, infostore: 8 };

/** A folder as clients see it. */
export function folderData(
  folder: TreeFolder,
  { tree, zone, names, guests, addresses, viewedByGuest }: FolderView,
): FolderData {
  const permissions = folder.permissions.filter(
    ({ entity, group }) => viewedByGuest === undefined || (!group && entity === viewedByGuest),
  );
  const below = tree.below(folder.id);
  return {
    id: folder.id,
    created_by: String(folder.createdBy),
    modified_by: String(folder.modifiedBy),
    creation_date: zone.instantToLocal(folder.created),
    last_modified: zone.instantToLocal(folder.lastModified),
    last_modified_utc: folder.lastModified,
    folder_id: folder.parent === '' ? undefined : folder.parent,
    title: folder.title,
    module: folder.module,
    type: folder.type,
    subfolders: below.length > 0,
    own_rights: folder.ownRights,
    permissions: permissions.map((entry) => permission(entry, guests)),
    summary: '',
    standard_folder: folder.isDefault,
    total: folder.total,
    new: 0,
    unread: 0,
    deleted: 0,
    subscribed: folder.subscribed,
    subscr_subflds: below.some(({ subscribed }) => subscribed),
    standard_folder_type: folder.isDefault ? (STANDARD_TYPE[folder.module] ?? 0) : 0,
    supported_capabilities: folder.module === 'system' ? [] : ['permissions'],
    folder_name: folder.title,
    publicationFlag: false,
    subscriptionFlag: false,
    ownerDisplayName: names.get(folder.createdBy),
    extendedPermissions: permissions.map((entry) => ({
      ...permission(entry, guests),
      ...(addresses?.has(entry.entity) && { share_url: addresses.get(entry.entity) }),
      ...(names.has(entry.entity) && { display_name: names.get(entry.entity) }),
    })),
    calendarExtendedProperties: folder.properties,
  };
}

function permission(
  { bits, entity, group }: TreeFolder['permissions'][number],
  guests: ReadonlyMap<number, DirectoryGuest>,
): FolderPermission {
  const guest = group ? undefined : guests.get(entity);
  if (!guest) return { bits, entity, group, type: group ? 'group' : 'user' };
  const { anonymous, email, displayName, expires } = guest;
  return {
    bits,
    entity,
    group,
    type: anonymous ? 'anonymous' : 'guest',
    ...(anonymous ? {} : { email_address: email, display_name: displayName }),
    ...(expires === undefined ? {} : { expiry_date: expires }),
  };
}

/** A folder under its wire names, without values that are not set. */
export const folderObject = (folder: TreeFolder, view: FolderView): FolderData => {
  const data = folderData(folder, view) as unknown as Record<string, unknown>;
  return Object.fromEntries(
    fieldsOf(FolderData)
      .filter(({ property }) => data[property] !== undefined)
      .map(({ property, wireName }) => [wireName, data[property]]),
  ) as unknown as FolderData;
};

/** Names for sets of columns. */
const COLUMN_SETS: Readonly<Record<string, () => FieldDescription[]>> = {
  all: () => fieldsOf(FolderData).filter(({ column }) => column !== undefined),
  list: () => [1, 20, 300, 301, 302, 304, 305, 308, 314].map((column) => fieldOfColumn(FolderData, column)!),
};

/** A column that does not exist, in answers that have nothing there. */
const NOTHING: FieldDescription = { property: '', wireName: '', type: 'any', doc: 'Nothing' };

/** The fields of the asked columns, and the first one that does not exist. */
export function folderColumns(columns: readonly string[]): { fields: FieldDescription[]; unknown?: string } {
  let unknown: string | undefined;
  const fields = columns.flatMap((column) => {
    if (Object.hasOwn(COLUMN_SETS, column)) return COLUMN_SETS[column]!();
    const field = /^\d+$/.test(column)
      ? fieldOfColumn(FolderData, Number(column))
      : fieldsOf(FolderData).find(({ wireName }) => wireName === column);
    if (!field) unknown ??= column;
    return [field ?? NOTHING];
  });
  return { fields, unknown };
}

/** Rows of folders in the asked columns. */
export const folderRows = (
  folders: readonly TreeFolder[],
  fields: readonly FieldDescription[],
  view: FolderView,
): unknown[][] =>
  folders.map((folder) => {
    const data = folderData(folder, view) as unknown as Record<string, unknown>;
    return fields.map(({ property }) => data[property] ?? null);
  });
