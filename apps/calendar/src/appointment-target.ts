import { Injectable } from '@nestjs/common';
import { AppointmentErrors, CalendarErrors, ObjectErrors, type UserPrincipal } from '@groupware/contracts';
import { covers } from '@groupware/folders';
import { together, type Transaction } from '@groupware/persistence';
import { type Appointment, isSeries, resourcesOf } from './domain/appointment';
import { type AccessedFolder, FolderAccess, isIn, visibilityOf } from './folder-access';
import { AppointmentRepository } from './persistence/appointment.repository';

/** An appointment that a user is about to change, locked, with the folder in which he sees it. */
export interface AppointmentTarget {
  readonly folder: AccessedFolder;
  readonly appointment: Appointment;
  /** Exceptions when it is a series. */
  readonly exceptions: readonly Appointment[];
  /** He was invited; the appointment belongs to somebody else's calendar. */
  readonly asAttendee: boolean;
}

/** Finds and locks appointments for writes. */
@Injectable()
export class AppointmentTargets {
  constructor(
    private readonly access: FolderAccess,
    private readonly appointments: AppointmentRepository,
  ) {}

  /** OX-0001 when there is none, APP-0059 when it is in another folder, APP-0062 when the user may not read it. */
  async find(tx: Transaction, user: UserPrincipal, id: number, folderId: number): Promise<AppointmentTarget> {
    const [folder, appointment] = await together(
      this.access.forWrite(tx, user, folderId),
      this.appointments.lock(tx, id),
    );
    requireSeen(appointment, id, folder, user);
    const exceptions = isSeries(appointment) ? await this.appointments.exceptions(tx, id) : [];
    return { folder, appointment, exceptions, asAttendee: appointment.folderId !== folder.id };
  }

  /** Folders that must be there, and appointments as far as they are, each with its series and all exceptions of that. */
  async findMany(tx: Transaction, user: UserPrincipal, ids: readonly number[], folderIds: readonly number[]) {
    const [folders, appointments] = await together(
      this.access.forWriteMany(tx, user, folderIds),
      this.appointments.lockFamilies(tx, ids),
    );
    return { folders, appointments };
  }

  /** The same for somebody who answers for a resource, wherever it is booked; OX-0001 when the resource is not. */
  async findBooking(tx: Transaction, user: UserPrincipal, id: number, folderId: number, resourceId: number) {
    const [folder, appointment] = await together(
      this.access.forWrite(tx, user, folderId),
      this.appointments.lock(tx, id),
    );
    if (!appointment || !resourcesOf(appointment).includes(resourceId)) throw ObjectErrors.notFound(id, user.contextId);
    const exceptions = isSeries(appointment) ? await this.appointments.exceptions(tx, id) : [];
    return { folder, appointment, exceptions, asAttendee: true } satisfies AppointmentTarget;
  }
}

/** Refuses what does not exist (OX-0001), is in another folder (APP-0059), or may not be read (APP-0062). */
export function requireSeen(
  appointment: Appointment | undefined,
  id: number,
  folder: AccessedFolder,
  user: UserPrincipal,
): asserts appointment is Appointment {
  if (!appointment) throw ObjectErrors.notFound(id, user.contextId);
  if (!isIn(appointment, folder)) throw AppointmentErrors.wrongFolder(id, folder.id);
  if (visibilityOf(appointment, folder, user) !== 'full') throw AppointmentErrors.notReadable(id);
}

/** Refuses a change of something that was changed after the client looked at it (CAL-4120). */
export function requireUnchanged(appointment: Appointment, timestamp: number): void {
  if (appointment.lastModified > timestamp)
    throw CalendarErrors.concurrentChange(appointment.id, timestamp, appointment.lastModified);
}

/** Refuses a write for which the folder gives no right (CAL-4031). */
export function requireWritable({ folder, appointment }: AppointmentTarget, user: UserPrincipal): void {
  if (!covers(folder.rights.write, appointment.createdBy === user.userId))
    throw CalendarErrors.noWritePermission(folder.id);
}

/** Refuses a deletion for which the folder gives no right (CAL-4032). Everybody may take himself out. */
export function requireDeletable(
  { folder, appointment, asAttendee }: Pick<AppointmentTarget, 'folder' | 'appointment' | 'asAttendee'>,
  user: UserPrincipal,
): void {
  if (asAttendee && folder.calendarUser === user.userId) return;
  if (!covers(folder.rights.remove, appointment.createdBy === user.userId))
    throw CalendarErrors.noDeletePermission(folder.id);
}
