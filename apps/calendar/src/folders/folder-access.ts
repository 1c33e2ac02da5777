import { Injectable } from '@nestjs/common';
import {
  AppointmentErrors,
  findFeedFolder,
  FolderErrors,
  isUnusedFolderId,
  moduleOfFolder,
  toPlainFolderId,
  type UserPrincipal,
  APPOINTMENT_RIGHTS,
  recordCheck,
  CalendarErrors,
  CatalogueError,
  isCatalogueError,
  ImportExportErrors,
} from '@groupware/contracts';
import {
  coversObject,
  EXTERNAL,
  FolderRightsRepository,
  resolveRights,
  parseRights,
  type Rights,
  type FolderRights,
  RANK,
  filterVisible,
  findVisibilityError,
  requireVisible,
} from '@groupware/folders';
import type { Reader, Transaction } from '@groupware/persistence';
import { type Appointment, findAttendee, CLASSIFICATION, findOwnFolder } from '../domain/appointment';
import { listFolders } from '../persistence/appointment.repository';

/** A calendar folder with what a user may do in it. */
export interface AccessedFolder extends FolderRights {
  readonly rights: Rights;
  /** Owner of the private folder, the user himself in a public one. */
  readonly calendarUser: number;
}

/** Determines the calendar user of a folder. */
export type FolderOwnership = Pick<AccessedFolder, 'type' | 'createdBy' | 'calendarUser'>;

/** Most folders whose owners are remembered. */
const MAX_CACHED = 50_000;

/**
 * The number of a calendar folder id, plain or as `cal://0/31`; those of other folders are APP-0054, those that no folder has FLD-0008,
 * malformed ones FLD-1025.
 */
export function parseCalendarFolderId(id: string): number {
  const plain = toPlainFolderId(id);
  const number = /^\d{1,9}$/.test(plain) ? Number(plain) : NaN;
  if (!Number.isSafeInteger(number)) throw FolderErrors.badId(id);
  if (isUnusedFolderId(plain)) throw FolderErrors.notFound(id);
  if (moduleOfFolder(number) !== 'calendar') throw AppointmentErrors.notACalendar(id);
  return number;
}

/** The same for a file: folders of other modules have no such. @throws FLD-1025, I_E-0100 */
export function parseExportedFolderId(id: string): number {
  try {
    return parseCalendarFolderId(id);
  } catch (error) {
    if (isCatalogueError(error, AppointmentErrors.notACalendar)) throw ImportExportErrors.notExportable(id, 'ICAL');
    throw error;
  }
}

/** The number of a folder of events, plain or as `cal://0/31`; undefined for what is none. */
export function findEventFolder(id: string): number | undefined {
  const plain = toPlainFolderId(id);
  return /^\d{1,9}$/.test(plain) && moduleOfFolder(Number(plain)) === 'calendar' ? Number(plain) : undefined;
}

/**
 * The number of a folder of events of this product. FLD-0008 for what is no folder id, CAL-4060 for folders of other modules,
 * CAL-4044 for accounts elsewhere.
 */
export function parseEventFolder(id: string): number {
  const number = findEventFolder(id);
  if (number !== undefined) return number;
  const plain = toPlainFolderId(id);
  const account = /^cal:\/\/(\d+)/.exec(plain)?.[1];
  if (account !== undefined) throw CalendarErrors.accountNotFound(account);
  if (!/^\d{1,9}$/.test(plain) || moduleOfFolder(Number(plain)) === undefined) throw FolderErrors.notFound(id);
  throw CalendarErrors.unsupportedFolder(id);
}

/** The calendars of the web among folders. */
export const listFeeds = (folders: readonly (string | undefined)[]): number[] => [
  ...new Set(folders.flatMap((id) => (id === undefined ? [] : (findFeedFolder(id) ?? [])))),
];

/** Refuses a folder in which the user reads no events (CAL-4030). */
export function requireMayRead({ id, rights }: AccessedFolder): void {
  recordCheck(APPOINTMENT_RIGHTS.read);
  if (rights.read === 0) throw CalendarErrors.noReadPermission(id);
}

/** Looks up what a user may do in a calendar folder, in the reader or transaction of the data access. */
@Injectable()
export class FolderAccess {
  private readonly seen = new Map<string, Pick<FolderRights, 'type' | 'createdBy'>>();

  constructor(private readonly rights: FolderRightsRepository) {}

  /**
   * Ownership of a folder when a user last wrote there, without a query; undefined when that is not known. Says nothing about
   * rights. A caller that relies on it compares it with the folder in his transaction.
   */
  findCachedOwnership(user: UserPrincipal, id: number): FolderOwnership | undefined {
    const folder = this.seen.get(`${user.contextId}:${id}`);
    return folder && { ...folder, calendarUser: calendarUserOf(folder, user) };
  }

  /** FLD-0008 when there is no such folder, FLD-0003 when the user does not see it. */
  async requireFolder(db: Reader, user: UserPrincipal, id: number): Promise<AccessedFolder> {
    return requireVisible(await this.findFolder(db, user, id), id, user);
  }

  /** A folder whether or not the user sees it, for `requireFolderOf`. */
  async findFolder(db: Reader, user: UserPrincipal, id: number): Promise<AccessedFolder | undefined> {
    const folder = await this.rights.findRights(db, user, id);
    return folder && toAccessedFolder(folder, user);
  }

  /** The same for many folders: each as it is, or why it is not (FLD-0008, FLD-0003). */
  async findEach(
    db: Reader,
    user: UserPrincipal,
    ids: readonly number[],
  ): Promise<Map<number, AccessedFolder | CatalogueError>> {
    const seen = new Map((await this.rights.listByIds(db, user, ids)).map((folder) => [folder.id, folder]));
    return new Map(
      ids.map((id) => {
        const folder = seen.get(id);
        return [id, findVisibilityError(folder, id, user) ?? toAccessedFolder(folder!, user)] as const;
      }),
    );
  }

  /** The folder of a calendar elsewhere of the user; undefined when he has no such. */
  async findFeed(db: Reader, user: UserPrincipal, id: number): Promise<AccessedFolder | undefined> {
    const folder = (await this.findFolders(db, user, [id])).get(id);
    return folder?.kind === EXTERNAL && folder.createdBy === user.userId ? folder : undefined;
  }

  /** The same; CAL-4044 when there is none. */
  async requireFeed(db: Reader, user: UserPrincipal, id: number): Promise<AccessedFolder> {
    recordCheck(APPOINTMENT_RIGHTS.read);
    const folder = await this.findFeed(db, user, id);
    if (!folder) throw CalendarErrors.accountNotFound(id);
    return folder;
  }

  /** The same for many folders; those that do not exist or are not visible are left out. */
  async findFolders(db: Reader, user: UserPrincipal, ids: readonly number[]): Promise<Map<number, AccessedFolder>> {
    const found = await this.listFolders(db, user, ids);
    return new Map(filterVisible(found, user).map((folder) => [folder.id, folder]));
  }

  /** Folders whether or not the user sees them: `visibilityOf` decides on each event. */
  async listFolders(db: Reader, user: UserPrincipal, ids: readonly number[]): Promise<AccessedFolder[]> {
    const found = await this.rights.listByIds(db, user, [...new Set(ids)]);
    return found.map((folder) => toAccessedFolder(folder, user));
  }

  /** The same for a write: permissions stay as they are until the transaction ends. */
  async lockFolder(tx: Transaction, user: UserPrincipal, id: number): Promise<AccessedFolder> {
    return (await this.lockFolders(tx, user, [id])).get(id)!;
  }

  /** The same for many folders; each of them must be there. */
  async lockFolders(
    tx: Transaction,
    user: UserPrincipal,
    ids: readonly number[],
  ): Promise<Map<number, AccessedFolder>> {
    const found = await this.lockFound(tx, user, ids);
    return new Map(ids.map((id) => [id, requireVisible(found.get(id), id, user)]));
  }

  /** The same whether or not the user sees them; those that do not exist are left out. */
  async lockFound(tx: Transaction, user: UserPrincipal, ids: readonly number[]): Promise<Map<number, AccessedFolder>> {
    const found = await this.rights.lockByIds(tx, user, [...new Set(ids)]);
    if (this.seen.size + found.length > MAX_CACHED) this.seen.clear();
    for (const { id, type, createdBy } of found) this.seen.set(`${user.contextId}:${id}`, { type, createdBy });
    return new Map(found.map((folder) => [folder.id, toAccessedFolder(folder, user)]));
  }
}

const toAccessedFolder = (folder: FolderRights, user: UserPrincipal): AccessedFolder => ({
  ...folder,
  rights: parseRights(resolveRights(folder, user)),
  calendarUser: calendarUserOf(folder, user),
});

const calendarUserOf = ({ type, createdBy }: Pick<FolderRights, 'type' | 'createdBy'>, user: UserPrincipal): number =>
  type === 1 ? createdBy : user.userId;

/** Refuses a folder in which the user may create nothing (CAL-4031). */
export function requireMayCreate({ id, rights }: AccessedFolder): void {
  recordCheck(APPOINTMENT_RIGHTS.create);
  if (rights.folder < RANK.createObjects) throw CalendarErrors.noWritePermission(id);
}

/** True when the appointment is seen in the folder: its own one, or that of an invited user. */
export function isSeenIn(appointment: Appointment, folder: Pick<FolderRights, 'id' | 'createdBy'>): boolean {
  if (appointment.folderId === folder.id) return true;
  return appointment.attendees.some((attendee) => attendee.folderId === folder.id && !attendee.hidden);
}

/** True where the user takes part in an appointment of a public folder: he sees it without a right on the folder. */
export const isInvitedTo = (
  appointment: Appointment | undefined,
  folder: Pick<FolderRights, 'id' | 'type'> | undefined,
  user: UserPrincipal,
): boolean =>
  folder?.type === 2 && appointment?.folderId === folder.id && findAttendee(appointment, user.userId)?.hidden === false;

/** The folder of an appointment: one that the user sees (FLD-0008, FLD-0003), or a public one to whose appointment he is invited. */
export function requireFolderOf(
  appointment: Appointment | undefined,
  folder: AccessedFolder | undefined,
  id: number,
  user: UserPrincipal,
): AccessedFolder {
  return folder && isInvitedTo(appointment, folder, user) ? folder : requireVisible(folder, id, user);
}

/** Visibility of an appointment in a folder for a user. */
export function visibilityOf(
  appointment: Appointment,
  folder: AccessedFolder,
  user: UserPrincipal,
): 'full' | 'anonymous' | 'none' {
  recordCheck(APPOINTMENT_RIGHTS.read);
  if (isInvitedTo(appointment, folder, user)) return 'full';
  const own = appointment.createdBy === user.userId;
  if (folder.rights.folder === 0 || !coversObject(folder.rights.read, own)) return 'none';
  if (appointment.classification === CLASSIFICATION.public || own || folder.calendarUser === user.userId) return 'full';
  const attendee = findAttendee(appointment, user.userId);
  if (attendee && !attendee.hidden) return 'full';
  return appointment.classification === CLASSIFICATION.private ? 'none' : 'anonymous';
}

/**
 * Finds the folder in which a user reads all details of an appointment: the one in which he takes part in it, or one of those in
 * which it is seen. Undefined when he may not read it anywhere.
 */
export function findReadableFolder(
  appointment: Appointment,
  folders: ReadonlyMap<number, AccessedFolder>,
  user: UserPrincipal,
): Pick<AccessedFolder, 'id' | 'calendarUser'> | undefined {
  recordCheck(APPOINTMENT_RIGHTS.read);
  const own = findOwnFolder(appointment, user.userId);
  if (own !== undefined) return { id: own, calendarUser: user.userId };
  const seen = listFolders(appointment).flatMap((id) => folders.get(id) ?? []);
  const readable = seen.find((folder) => visibilityOf(appointment, folder, user) === 'full');
  if (readable) return readable;
  const involved = [appointment.createdBy, appointment.owner, appointment.organizerId].includes(user.userId);
  return involved ? { id: appointment.folderId, calendarUser: appointment.owner } : undefined;
}
