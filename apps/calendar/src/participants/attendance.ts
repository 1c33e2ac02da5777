import { Injectable } from '@nestjs/common';
import type { Transaction } from '@groupware/persistence';
import { AppointmentWriter } from '../appointments/appointment-writer';
import type { Appointment, Attendee } from '../domain/appointment';
import type { People } from '@groupware/directory';
import { AppointmentRepository } from '../persistence/appointment.repository';
import { AttendanceRepository, type AttendanceQuery } from '../persistence/attendance.repository';
import { AttendeeCalendars, withoutCalendar, assignCalendars, type TargetCalendar } from './attendee-calendars';

/** Appointments that are changed at once. */
const BATCH = 500;
const NO_PEOPLE: People = { entities: new Map(), byAddress: new Map() };

/** Keeps the participants of appointments in step with the directory. */
@Injectable()
export class Attendance {
  constructor(
    private readonly attendances: AttendanceRepository,
    private readonly appointments: AppointmentRepository,
    private readonly places: AttendeeCalendars,
    private readonly writer: AppointmentWriter,
  ) {}

  /** Changes the attendees of every appointment of a participant; `next` gives the new list, undefined keeps the old. */
  async changeAttendees(
    tx: Transaction,
    question: AttendanceQuery,
    next: (appointment: Appointment) => Attendee[] | undefined,
    people: People = NO_PEOPLE,
  ): Promise<void> {
    let last = 0;
    for (;;) {
      const ids = await this.attendances.listAppointmentIds(tx, question, last, BATCH);
      if (ids.length === 0) return;
      last = ids.at(-1)!;
      const found = (await this.appointments.lockByIds(tx, ids)).flatMap((before) => {
        const attendees = next(before);
        return attendees ? [{ before, attendees, place: targetCalendarOf(before) }] : [];
      });
      const users = found.flatMap(({ attendees, place }) => withoutCalendar(attendees, place));
      const homes = await this.places.ensureDefaultCalendars(tx, [...new Set(users)], people);
      const changed = found.map(({ before, attendees, place }) => ({
        before,
        after: { ...before, attendees: assignCalendars(attendees, place, homes) },
      }));
      if (changed.length > 0) await this.writer.writeChanges(tx, undefined, { changed });
    }
  }
}

const targetCalendarOf = ({ isPublic, owner }: Appointment): TargetCalendar => ({
  type: isPublic ? 2 : 1,
  createdBy: owner,
});
