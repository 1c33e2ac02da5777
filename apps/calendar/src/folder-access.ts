import { Injectable } from '@nestjs/common';
import { AppointmentErrors, FolderErrors, moduleOfFolder, type UserPrincipal } from '@groupware/contracts';
import {
  covers,
  FolderRepository,
  isVisible,
  rightsIn,
  rightsOf,
  type Rights,
  type SeenFolder,
} from '@groupware/folders';
import { type Reader, together, type Transaction } from '@groupware/persistence';
import { type Appointment, attendeeOf, CLASSIFICATION, ownFolderOf } from './domain/appointment';
import { foldersOf } from './persistence/appointment.repository';

/** A calendar folder with what a user may do in it. */
export interface AccessedFolder extends SeenFolder {
  readonly rights: Rights;
  /** Owner of the private folder, the user himself in a public one. */
  readonly calendarUser: number;
}

/** What decides into whose calendar something is written. */
export type FolderOwnership = Pick<AccessedFolder, 'type' | 'createdBy' | 'calendarUser'>;

/** Most folders whose owners are remembered. */
const MAX_REMEMBERED = 50_000;

/** The number of a calendar folder id; other ids are APP-0054, malformed ones FLD-1025. */
export function calendarFolderId(id: string): number {
  const number = /^\d{1,9}$/.test(id) ? Number(id) : NaN;
  if (!Number.isSafeInteger(number)) throw FolderErrors.badId(id);
  if (moduleOfFolder(number) !== 'calendar') throw AppointmentErrors.notACalendar(id);
  return number;
}

/** Looks up what a user may do in a calendar folder, in the reader or transaction of the data access. */
@Injectable()
export class FolderAccess {
  private readonly seen = new Map<string, Pick<SeenFolder, 'type' | 'createdBy'>>();

  constructor(private readonly folders: FolderRepository) {}

  /**
   * Whose a folder was when somebody last wrote there, asked of nobody; undefined when that is not known. Says nothing about
   * rights. Whoever relies on it compares it with the folder in his transaction.
   */
  remembered(user: UserPrincipal, id: number): FolderOwnership | undefined {
    const folder = this.seen.get(`${user.contextId}:${id}`);
    return folder && { ...folder, calendarUser: calendarUserOf(folder, user) };
  }

  /** FLD-0008 when there is no such folder, FLD-0003 when the user does not see it. */
  async of(db: Reader, user: UserPrincipal, id: number): Promise<AccessedFolder> {
    return visible(await this.folders.seen(db, user, id), id, user);
  }

  /** The same for many folders; those that do not exist or are not visible are left out. */
  async ofMany(db: Reader, user: UserPrincipal, ids: readonly number[]): Promise<Map<number, AccessedFolder>> {
    const seen = await this.folders.seenMany(db, user, [...new Set(ids)]);
    return new Map(
      seen.filter((folder) => isVisible(folder, user)).map((folder) => [folder.id, accessed(folder, user)]),
    );
  }

  /** The same for a write: permissions stay as they are until the transaction ends. */
  async forWrite(tx: Transaction, user: UserPrincipal, id: number): Promise<AccessedFolder> {
    return (await this.forWriteMany(tx, user, [id])).get(id)!;
  }

  /** The same for many folders; each of them must be there. */
  async forWriteMany(
    tx: Transaction,
    user: UserPrincipal,
    ids: readonly number[],
  ): Promise<Map<number, AccessedFolder>> {
    const wanted = [...new Set(ids)];
    const [, found] = await together(
      this.folders.lockMany(tx, wanted, 'share'),
      this.folders.seenMany(tx, user, wanted),
    );
    const seen = new Map(found.map((each) => [each.id, each]));
    if (this.seen.size + seen.size > MAX_REMEMBERED) this.seen.clear();
    for (const { id, type, createdBy } of found) this.seen.set(`${user.contextId}:${id}`, { type, createdBy });
    return new Map(ids.map((id) => [id, visible(seen.get(id), id, user)]));
  }
}

function visible(folder: SeenFolder | undefined, id: number, user: UserPrincipal): AccessedFolder {
  if (!folder) throw FolderErrors.notFound(id);
  if (!isVisible(folder, user)) throw FolderErrors.notVisible(id, user.userId);
  return accessed(folder, user);
}

const accessed = (folder: SeenFolder, user: UserPrincipal): AccessedFolder => ({
  ...folder,
  rights: rightsOf(rightsIn(folder, user)),
  calendarUser: calendarUserOf(folder, user),
});

const calendarUserOf = ({ type, createdBy }: Pick<SeenFolder, 'type' | 'createdBy'>, user: UserPrincipal): number =>
  type === 1 ? createdBy : user.userId;

/** True when the appointment is seen in the folder: its own one, or that of an invited user. */
export function isIn(appointment: Appointment, folder: Pick<SeenFolder, 'id' | 'createdBy'>): boolean {
  if (appointment.folderId === folder.id) return true;
  return appointment.attendees.some((attendee) => attendee.folderId === folder.id && !attendee.hidden);
}

/** How much of an appointment in a folder a user sees. */
export function visibilityOf(
  appointment: Appointment,
  folder: AccessedFolder,
  user: UserPrincipal,
): 'full' | 'anonymous' | 'none' {
  const own = appointment.createdBy === user.userId;
  if (!covers(folder.rights.read, own)) return 'none';
  if (appointment.classification === CLASSIFICATION.public || own || folder.calendarUser === user.userId) return 'full';
  const attendee = attendeeOf(appointment, user.userId);
  if (attendee && !attendee.hidden) return 'full';
  return appointment.classification === CLASSIFICATION.private ? 'none' : 'anonymous';
}

/**
 * Where a user reads an appointment with all its details: the folder in which he takes part in it, or one of those in
 * which it is seen. Undefined when he may not read it anywhere.
 */
export function readableFolder(
  appointment: Appointment,
  folders: ReadonlyMap<number, AccessedFolder>,
  user: UserPrincipal,
): Pick<AccessedFolder, 'id' | 'calendarUser'> | undefined {
  const own = ownFolderOf(appointment, user.userId);
  if (own !== undefined) return { id: own, calendarUser: user.userId };
  const seen = foldersOf(appointment).flatMap((id) => folders.get(id) ?? []);
  const readable = seen.find((folder) => visibilityOf(appointment, folder, user) === 'full');
  if (readable) return readable;
  const involved = [appointment.createdBy, appointment.owner, appointment.organizerId].includes(user.userId);
  return involved ? { id: appointment.folderId, calendarUser: appointment.owner } : undefined;
}
