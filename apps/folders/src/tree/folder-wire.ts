import {
  FolderData,
  FolderErrors,
  RequestErrors,
  type CatalogueError,
  fieldOfColumn,
  fieldsOf,
  isStorageFolderId,
  toFeedFolderId,
  type DirectoryGuest,
  type FieldDescription,
  type FolderPermission,
} from '@groupware/contracts';
import { toGuestContactFacts, type ContactFacts } from '@groupware/directory';
import { toGuestContact, toRightsLetters } from '@groupware/folders';
import type { ZoneOffsets } from '@groupware/recurrence';
import { pauseAfterTurn } from '@groupware/service-kit';
import type { MissingBranches } from '../owners/owners';
import type { FolderTree } from './folder-tree';
import type { IdForm } from '../domain/content-types';
import type { AddressOfGuest } from '../sharing/share-addresses';
import { FOLDER_TYPE, type TreeFolder } from '../domain/tree-folder';

/** View of folders. */
export interface FolderView {
  readonly tree: FolderTree;
  readonly zone: ZoneOffsets;
  readonly names: ReadonlyMap<number, string>;
  readonly guests: ReadonlyMap<number, DirectoryGuest>;
  /** Contact data of the users in permission lists, where they are asked for. */
  readonly contacts?: ReadonlyMap<number, ContactFacts>;
  /** URLs of shares, where they are asked for. */
  readonly addressOf?: AddressOfGuest;
  readonly userId: number;
  /** Set for guests, who do not see other entries of a permission list. */
  readonly viewedByGuest?: number;
  readonly locale: string;
  /** How the client names folders. */
  readonly form: IdForm;
  /** Modules that did not answer: their folders are missing. */
  readonly missing: MissingBranches;
  /** Some folders stand below those of other modules. */
  readonly hasStrays: boolean;
  /** The stamp up to which the tree is complete, ms UTC. */
  readonly stamp: number;
  /** Most folders in one answer. */
  readonly maxListed: number;
  /** True for folders of the modules that the request asks for. */
  readonly isAllowed: (folder: TreeFolder) => boolean;
  /** Whether the client knows ids like that of a folder. */
  readonly hasKnownId: (folder: TreeFolder) => boolean;
}

/** `standard_folder_type` by module. */
const STANDARD_TYPE: Readonly<Record<string, number>> = { tasks: 1, calendar: 2, contacts: 3, infostore: 8 };

/** Accounts of modules whose folders have ids with one; mail folders bear theirs in the id. */
const ACCOUNTS: Readonly<Record<string, string>> = { calendar: 'cal://0', contacts: 'con://0' };

/** Positions of the capabilities of mail folders (column 313). */
const MAIL_CAPABILITIES = ['permissions', 'thread_references', 'quota', 'sort', 'subscription'];

const TRASH = 12;

/** The account in the id of a folder of a storage elsewhere: `<service>://<account>`. */
const findStorageAccount = (id: string): string | undefined =>
  isStorageFolderId(id) ? id.slice(0, id.lastIndexOf('/')) : undefined;

/** Converts a folder to its view. */
function toFolderData(folder: TreeFolder, view: FolderView): FolderData {
  const { tree, zone, names, guests, addressOf, viewedByGuest, form } = view;
  const permissions = folder.permissions.filter(
    ({ entity, group }) => viewedByGuest === undefined || (!group && entity === viewedByGuest),
  );
  const isCalendar = folder.module === 'calendar';
  const account = folder.place?.account;
  return {
    id: account ? toFeedFolderId(folder.id) : form.toWireId(folder.id),
    created_by: String(folder.createdBy),
    modified_by: String(folder.modifiedBy),
    created_from: toIdentity(folder.createdBy, names, guests),
    modified_from: toIdentity(folder.modifiedBy, names, guests),
    creation_date: zone.instantToLocal(folder.created),
    // A timestamp, not a time: no zone shifts it.
    last_modified: folder.lastModified,
    last_modified_utc: folder.lastModified,
    folder_id: folder.parent === '' ? undefined : form.toWireId(folder.parent),
    title: folder.title,
    module: account ? 'event' : form.toWireModule(folder.module),
    type: folder.type,
    subfolders: tree.hasSubfolders(folder),
    own_rights: folder.ownRights,
    permissions: permissions.map((entry) => toPermission(folder, entry, view)),
    summary: toSummary(folder),
    standard_folder: folder.isDefault,
    total: folder.counts?.total,
    new: folder.counts?.new,
    unread: folder.counts?.unread,
    deleted: folder.counts?.deleted,
    subscribed: folder.subscribed,
    subscr_subflds: tree.hasSubscribedSubfolders(folder),
    meta: folder.meta,
    capabilities: folder.module === 'mail' ? toMailCapabilities(folder.capabilities) : undefined,
    standard_folder_type: toStandardType(folder),
    account_id: account ? `cal://${folder.id}` : (findStorageAccount(folder.id) ?? ACCOUNTS[folder.module]),
    origin: folder.origin,
    used_for_sync: toSyncFlag(folder),
    isShared: folder.place && folder.permissions.some(({ entity, group }) => group || entity !== folder.createdBy),
    supported_capabilities: folder.capabilities ? [...folder.capabilities] : [],
    folder_name: folder.rawName ?? folder.title,
    publicationFlag: false,
    subscriptionFlag: false,
    ownerDisplayName: names.get(folder.createdBy),
    extendedPermissions: permissions.map((entry) => ({
      ...toPermission(folder, entry, view),
      ...toEnd(entry, guests, zone),
      ...(isInherited(entry, guests, folder) && { isInherited: true }),
      ...(entry.group ? {} : addressOf?.(folder, entry.entity)),
      ...(names.get(entry.entity) && { display_name: names.get(entry.entity) }),
      ...toContact(entry, view),
    })),
    calendarExtendedProperties: isCalendar ? toCalendarProperties(folder) : undefined,
    calendarProvider: isCalendar ? (account?.provider ?? 'chronos') : undefined,
    calendarConfig: isCalendar ? toCalendarConfig(folder) : undefined,
    accountError: folder.place?.accountError,
    calendarAccountError: account?.error,
    contactsExtendedProperties: folder.module === 'contacts' ? toContactsProperties(folder) : undefined,
  };
}

const toStandardType = ({ type, isDefault, module, place }: TreeFolder): number =>
  place?.standardType ?? (type === FOLDER_TYPE.trash ? TRASH : isDefault ? (STANDARD_TYPE[module] ?? 0) : 0);

const toMailCapabilities = (names: readonly string[] = []): number =>
  MAIL_CAPABILITIES.reduce((bits, name, position) => (names.includes(name) ? bits | (1 << position) : bits), 0);

/** Whether the user synchronizes a folder, which he always does with a default one; undefined for folders without. */
const toSyncFlag = ({ usedForSync, isDefault }: TreeFolder) =>
  usedForSync === undefined ? undefined : { value: String(usedForSync || isDefault), protected: isDefault };

/** The identity of a creator or editor; undefined for the system. */
function toIdentity(id: number, names: ReadonlyMap<number, string>, guests: ReadonlyMap<number, DirectoryGuest>) {
  if (id === 0) return undefined;
  return { entity: id, type: guests.has(id) ? 'guest' : 'user', display_name: names.get(id) ?? null };
}

const OPAQUE = { value: 'OPAQUE' };

/** A property as it is stored, which its folder's owner may change unless it says otherwise. */
const toProperty = (stored: unknown): object => ({
  ...(typeof stored === 'string' ? { value: stored } : (stored as object | null)),
  protected: (stored as { protected?: boolean } | null | undefined)?.protected ?? false,
});

/** Properties of calendars: those that every one has, and what else is stored. */
const toCalendarProperties = (folder: TreeFolder) => ({
  ...folder.properties,
  color: toProperty(folder.properties?.['color']),
  description: toProperty(folder.properties?.['description']),
  scheduleTransp: { ...OPAQUE, ...toProperty(folder.properties?.['scheduleTransp']) },
  ...(folder.place?.account?.refreshed !== undefined && {
    lastUpdate: { value: folder.place.account.refreshed, protected: true },
  }),
  usedForSync: toSyncFlag(folder),
});

/** Settings of calendars: those elsewhere have some more. */
const toCalendarConfig = ({ place }: TreeFolder) => ({ enabled: true, ...place?.account?.config });

/** Properties of address books. */
const toContactsProperties = (folder: TreeFolder) => ({ ...folder.properties, usedForSync: toSyncFlag(folder) });

/** Number of objects, and of unread ones where there are any: `(3 / 1)`. */
function toSummary({ counts }: TreeFolder): string | undefined {
  if (counts?.total === undefined) return undefined;
  return counts.unread ? `(${counts.total} / ${counts.unread})` : `(${counts.total})`;
}

function toPermission(
  { module }: TreeFolder,
  { bits, entity, group }: TreeFolder['permissions'][number],
  { guests, userId }: FolderView,
): FolderPermission {
  const rights = module === 'mail' ? { rights: toRightsLetters(bits) } : {};
  const guest = group ? undefined : guests.get(entity);
  if (!guest) return { bits, ...rights, entity, group, type: group ? 'group' : 'user' };
  const { anonymous, email, displayName } = guest;
  return {
    bits,
    entity,
    group,
    type: anonymous ? 'anonymous' : 'guest',
    ...(anonymous ? {} : { email_address: email, display_name: displayName, ...toGuestContact(guest, userId) }),
  };
}

/** Contact data of the user or guest of an entry. */
function toContact(
  { entity, group }: TreeFolder['permissions'][number],
  { contacts, guests }: FolderView,
): { contact?: ContactFacts } {
  if (group) return {};
  const guest = guests.get(entity);
  const contact = guest ? toGuestContactFacts(guest) : contacts?.get(entity);
  return contact ? { contact } : {};
}

/** Whether an entry is that of a link to a folder above. */
function isInherited(
  { entity, group }: TreeFolder['permissions'][number],
  guests: ReadonlyMap<number, DirectoryGuest>,
  { id }: TreeFolder,
): boolean {
  const target = group ? undefined : guests.get(entity)?.target;
  return target?.folder !== undefined && String(target.folder) !== id;
}

/** When the rights of a guest end, in the zone of the request. */
function toEnd(
  { entity, group }: TreeFolder['permissions'][number],
  guests: ReadonlyMap<number, DirectoryGuest>,
  zone: ZoneOffsets,
): { expiry_date?: number } {
  const end = group ? undefined : guests.get(entity)?.expires;
  return end === undefined ? {} : { expiry_date: zone.instantToLocal(end) };
}

/** Converts a folder to its wire object, without unset values. */
export const toFolderObject = (folder: TreeFolder, view: FolderView): FolderData => {
  const data = toFolderData(folder, view) as unknown as Record<string, unknown>;
  return Object.fromEntries(
    fieldsOf(FolderData)
      .filter(({ property }) => data[property] !== undefined)
      .map(({ property, wireName }) => [wireName, data[property]]),
  );
};

/** Named sets of columns. */
const COLUMN_SETS: Readonly<Record<string, () => FieldDescription[]>> = {
  all: () => fieldsOf(FolderData).filter(({ column }) => column !== undefined),
  list: () => [1, 20, 300, 301, 302, 304, 305, 308, 314].map((column) => fieldOfColumn(FolderData, column)!),
};

/** Placeholder of unknown columns. */
const NOTHING: FieldDescription = { property: '', wireName: '', requestNames: [], type: 'any', doc: 'Nothing' };

/** Resolves requested columns, and the first unknown one. */
export function resolveColumns(columns: readonly string[]): { fields: FieldDescription[]; unknown?: string } {
  let unknown: string | undefined;
  const fields = columns.flatMap((column) => {
    if (Object.hasOwn(COLUMN_SETS, column)) return COLUMN_SETS[column]!();
    const field = /^\d+$/.test(column)
      ? fieldOfColumn(FolderData, Number(column))
      : fieldsOf(FolderData).find(({ requestNames }) => requestNames.includes(column));
    if (!field && (!/^\d+$/.test(column) || unknown === undefined)) unknown = column;
    return [field ?? NOTHING];
  });
  return { fields, unknown };
}

/** Warnings about modules whose folders are missing in an answer: below folders at the top, where all modules have some. */
export const warnOfMissing = ({ missing }: FolderView, parent = '0'): CatalogueError[] =>
  /^(\d|1\d|u:\d+)$/.test(parent) ? [...missing.keys()].map((module) => RequestErrors.serviceUnavailable(module)) : [];

/** The folders of an answer, as many as one may have, with a warning when that is not all. */
export const limitFolders = (
  folders: readonly TreeFolder[],
  { maxListed }: FolderView,
): { readonly listed: readonly TreeFolder[]; readonly warnings: readonly CatalogueError[] } =>
  folders.length > maxListed
    ? { listed: folders.slice(0, maxListed), warnings: [FolderErrors.tooManyListed(maxListed, folders.length)] }
    : { listed: folders, warnings: [] };

/** Lists what columns need beside the folders: what modules count or read on demand, and facts about people. */
export const demandsOf = (
  fields: readonly FieldDescription[],
): { counts: boolean; permissions: boolean; people: boolean } => ({
  counts: fields.some(({ property }) => COUNTS.has(property)),
  permissions: fields.some(({ property }) => PERMISSIONS.has(property)),
  people: fields.some(({ property }) => property === 'extendedPermissions'),
});

const PERMISSIONS = new Set(['permissions', 'extendedPermissions', 'isShared']);
const COUNTS = new Set(['summary', 'total', 'new', 'unread', 'deleted']);

/** Converts folders to rows of the requested columns, between which others have their turn. */
export async function toFolderRows(
  folders: readonly TreeFolder[],
  fields: readonly FieldDescription[],
  view: FolderView,
): Promise<unknown[][]> {
  const rows: unknown[][] = [];
  for (const folder of folders) {
    const turn = pauseAfterTurn();
    if (turn) await turn;
    const data = toFolderData(folder, view) as unknown as Record<string, unknown>;
    rows.push(fields.map(({ property }) => data[property] ?? null));
  }
  return rows;
}
