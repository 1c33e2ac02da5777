import { Injectable } from '@nestjs/common';
import { FolderRepository, type Handover, type StoredFolder } from '@groupware/folders';
import type { Transaction } from '@groupware/persistence';
import { AppointmentWriter, type ChangedAppointment } from './appointment-writer';
import { type Appointment, type Attendee, PARTICIPANT } from '../domain/appointment';
import { createOwnerAttendee } from '../domain/owner-attendee';
import { AvailabilityRepository } from '../persistence/availability.repository';
import { FolderContentRepository } from '../persistence/folder-content.repository';

const BATCH = 500;

/** Takes a user who leaves out of all appointments; those of the folders he leaves behind become the heir's. */
@Injectable()
export class AppointmentHandover {
  constructor(
    private readonly content: FolderContentRepository,
    private readonly writer: AppointmentWriter,
    private readonly availability: AvailabilityRepository,
    private readonly folders: FolderRepository,
  ) {}

  /** Meetings with other users in folders that go with their organizer: the heir organizes them from then on, in the default calendar. */
  async keepMeetings(tx: Transaction, gone: readonly StoredFolder[], handover: Handover): Promise<void> {
    const home = handover.heir && (await this.folders.findDefault(tx, handover.heir.userId));
    if (!home) return;
    const ids = gone.map(({ id }) => id);
    for (;;) {
      const some = await this.content.listMeetings(tx, handover.userId, ids, BATCH);
      if (some.length === 0) return;
      const changed = some.map((before): ChangedAppointment => {
        const next = handOverAppointment(before, true, handover) ?? before;
        return { before, after: { ...next, folderId: home } };
      });
      await this.writer.writeChanges(tx, handover.heir.userId, { changed });
    }
  }

  /** `kept` are the folders that the heir gets. */
  async handOver(tx: Transaction, kept: readonly StoredFolder[], handover: Handover): Promise<void> {
    await this.availability.removeUser(tx, handover.userId);
    const folders = new Set(kept.map(({ id }) => id));
    for (let after = 0; ;) {
      const some = await this.content.listByUserOrFolders(tx, handover.userId, [...folders], after, BATCH);
      if (some.length === 0) return;
      const changed = some.flatMap((before): ChangedAppointment[] => {
        const next = handOverAppointment(before, folders.has(before.folderId), handover);
        return next ? [{ before, after: next }] : [];
      });
      if (changed.length > 0) await this.writer.writeChanges(tx, handover.heir?.userId ?? handover.userId, { changed });
      after = some.at(-1)!.id;
    }
  }
}

/** The appointment without the user; undefined when nothing changes. */
function handOverAppointment(
  appointment: Appointment,
  inherited: boolean,
  { userId, heir }: Handover,
): Appointment | undefined {
  const leaves = ({ type, entity }: Attendee): boolean => type === PARTICIPANT.user && entity === userId;
  const place = appointment.attendees.find(leaves);
  const owned = appointment.owner === userId;
  const created = heir && inherited && appointment.createdBy === userId;
  if (!place && !owned && !created) return undefined;
  const others = appointment.attendees.filter((attendee) => !leaves(attendee));
  const known = heir && others.some(({ type, entity }) => type === PARTICIPANT.user && entity === heir.userId);
  const takesOver = heir && inherited && owned;
  const attendees = takesOver && !known ? [...others, createHeirAttendee(heir, place)] : others;
  return {
    ...appointment,
    owner: takesOver ? heir.userId : appointment.owner,
    createdBy: created ? heir.userId : appointment.createdBy,
    ...(takesOver && appointment.organizerId === userId && { organizer: heir.email, organizerId: heir.userId }),
    ...(takesOver && appointment.principalId === userId && { principal: heir.email, principalId: heir.userId }),
    attendees: takesOver
      ? attendees.map((attendee) =>
          attendee.type === PARTICIPANT.user && attendee.entity === heir.userId && !appointment.isPublic
            ? { ...attendee, folderId: null, direct: true, hidden: false }
            : attendee,
        )
      : attendees,
  };
}

/** The heir in place of the user who leaves. */
const createHeirAttendee = (heir: NonNullable<Handover['heir']>, place: Attendee | undefined): Attendee =>
  createOwnerAttendee(heir.userId, {
    mail: heir.email,
    displayName: heir.displayName,
    direct: place?.direct ?? true,
  });
