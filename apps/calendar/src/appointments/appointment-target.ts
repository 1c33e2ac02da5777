import { Injectable } from '@nestjs/common';
import {
  AppointmentErrors,
  CalendarErrors,
  ObjectErrors,
  type UserPrincipal,
  APPOINTMENT_RIGHTS,
  recordCheck,
} from '@groupware/contracts';
import { coversObject } from '@groupware/folders';
import { pipeline, type Transaction } from '@groupware/persistence';
import { changedFor } from '../domain/alarm-change';
import { type Appointment, isSeries, listResources } from '../domain/appointment';
import { namesOccurrence } from '../domain/appointment-reference';
import { findNamedOccurrence, type OccurrenceName, wholeSeriesOf } from '../domain/series';
import { type AccessedFolder, FolderAccess, isSeenIn, requireFolderOf, visibilityOf } from '../folders/folder-access';
import { AppointmentRepository } from '../persistence/appointment.repository';

/** An appointment that a user is about to change, locked, with the folder in which he sees it. */
export interface AppointmentTarget {
  readonly folder: AccessedFolder;
  readonly appointment: Appointment;
  /** Exceptions when it is a series. */
  readonly exceptions: readonly Appointment[];
  /** The user was invited; the appointment belongs to another user's calendar. */
  readonly asAttendee: boolean;
}

/** Finds and locks appointments for writes. */
@Injectable()
export class AppointmentTargets {
  constructor(
    private readonly access: FolderAccess,
    private readonly appointments: AppointmentRepository,
  ) {}

  /**
   * OX-0001 when there is none, APP-0059 when it is in another folder, APP-0062 when the user may not read it. With the name of an
   * occurrence of a series that is not seen in the folder, the exception that is seen there.
   */
  async lockTarget(
    tx: Transaction,
    user: UserPrincipal,
    id: number,
    folderId: number,
    name: OccurrenceName = {},
  ): Promise<AppointmentTarget> {
    const [found, appointment] = await pipeline(
      this.access.lockFound(tx, user, [folderId]),
      this.appointments.lockById(tx, id),
    );
    const seen = await this.findSeenException(tx, appointment, found.get(folderId), name);
    if (seen) return this.lockTarget(tx, user, seen.id, folderId);
    const folder = requireFolderOf(appointment, found.get(folderId), folderId, user);
    requireReadable(appointment, id, folder, user);
    const exceptions = isSeries(appointment) ? await this.appointments.listExceptions(tx, id) : [];
    return { folder, appointment, exceptions, asAttendee: appointment.folderId !== folder.id };
  }

  /** The exception of a series that a name stands for, where it is seen in a folder and the series is not. */
  private async findSeenException(
    tx: Transaction,
    series: Appointment | undefined,
    folder: AccessedFolder | undefined,
    name: OccurrenceName,
  ): Promise<Appointment | undefined> {
    if (!series || !folder || !namesOccurrence(name) || !isSeries(series) || isSeenIn(series, folder)) return undefined;
    return findSeenOccurrence(series, await this.appointments.listExceptions(tx, series.id), folder, name);
  }

  /** Folders that must be there, and appointments as far as they are, each with its series and all exceptions of that. */
  async lockTargets(tx: Transaction, user: UserPrincipal, ids: readonly number[], folderIds: readonly number[]) {
    const [folders, appointments] = await pipeline(
      this.access.lockFolders(tx, user, folderIds),
      this.appointments.lockWithExceptions(tx, ids),
    );
    return { folders, appointments };
  }

  /** The same for a delegate of a resource, wherever it is booked; OX-0001 when the resource is not. */
  async lockBooking(tx: Transaction, user: UserPrincipal, id: number, folderId: number, resourceId: number) {
    const [folder, appointment] = await pipeline(
      this.access.lockFolder(tx, user, folderId),
      this.appointments.lockById(tx, id),
    );
    if (!appointment || !listResources(appointment).includes(resourceId))
      throw ObjectErrors.notFound(id, user.contextId);
    const exceptions = isSeries(appointment) ? await this.appointments.listExceptions(tx, id) : [];
    return { folder, appointment, exceptions, asAttendee: true } satisfies AppointmentTarget;
  }
}

/** The exception that a name of an occurrence stands for, if it is seen in a folder. */
export function findSeenOccurrence(
  series: Appointment,
  exceptions: readonly Appointment[],
  folder: Pick<AccessedFolder, 'id' | 'createdBy'>,
  name: OccurrenceName,
): Appointment | undefined {
  const occurrence = findNamedOccurrence(wholeSeriesOf(series), name);
  return exceptions.find((each) => each.recurrenceLocalMs === occurrence?.localMs && isSeenIn(each, folder));
}

/** Refuses what does not exist (OX-0001), is in another folder (APP-0059), or may not be read (APP-0062). */
export function requireReadable(
  appointment: Appointment | undefined,
  id: number,
  folder: AccessedFolder,
  user: UserPrincipal,
): asserts appointment is Appointment {
  if (!appointment) throw ObjectErrors.notFound(id, user.contextId);
  if (!isSeenIn(appointment, folder)) throw AppointmentErrors.wrongFolder(id, folder.id);
  const visibility = visibilityOf(appointment, folder, user);
  if (visibility === 'full') return;
  const cause = CalendarErrors.restrictedByClass(folder.id, id, 'CONFIDENTIAL');
  throw visibility === 'none' ? AppointmentErrors.notReadable(id) : AppointmentErrors.notReadable(id).with({ cause });
}

/** Refuses a change of something that was changed for the calendar user after the client looked at it (CAL-4120). */
export function requireUnchanged(
  appointment: Appointment,
  timestamp: number,
  { calendarUser }: Pick<AccessedFolder, 'calendarUser'>,
): void {
  const changed = changedFor(appointment, calendarUser);
  if (changed > timestamp) throw CalendarErrors.concurrentChange(appointment.id, timestamp, changed);
}

/** Refuses a write for which the folder gives no right (CAL-4031). */
export function requireWritable({ folder, appointment }: AppointmentTarget, user: UserPrincipal): void {
  recordCheck(APPOINTMENT_RIGHTS.write);
  if (!coversObject(folder.rights.write, appointment.createdBy === user.userId))
    throw CalendarErrors.noWritePermission(folder.id);
}

/** Refuses a deletion for which the folder gives no right (CAL-4032). Attendees may always withdraw. */
export function requireDeletable(
  { folder, appointment, asAttendee }: Pick<AppointmentTarget, 'folder' | 'appointment' | 'asAttendee'>,
  user: UserPrincipal,
): void {
  recordCheck(APPOINTMENT_RIGHTS.remove);
  if (asAttendee && folder.calendarUser === user.userId) return;
  if (!coversObject(folder.rights.remove, appointment.createdBy === user.userId))
    throw CalendarErrors.noDeletePermission(folder.id);
}
