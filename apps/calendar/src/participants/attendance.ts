import { Injectable } from '@nestjs/common';
import type { Transaction } from '@groupware/persistence';
import { AppointmentWriter } from '../appointment-writer';
import type { Appointment, Attendee } from '../domain/appointment';
import type { People } from '../domain/attendee-list';
import { AppointmentRepository } from '../persistence/appointment.repository';
import { AttendanceRepository, type AttendanceQuestion } from '../persistence/attendance.repository';
import { AttendeePlaces, homeless, placed, type Place } from './attendee-places';

/** Appointments that are changed at once. */
const BATCH = 500;
const NOBODY: People = { entities: new Map(), byAddress: new Map() };

/** Keeps the participants of appointments in step with the directory. */
@Injectable()
export class Attendance {
  constructor(
    private readonly attendances: AttendanceRepository,
    private readonly appointments: AppointmentRepository,
    private readonly places: AttendeePlaces,
    private readonly writer: AppointmentWriter,
  ) {}

  /** Changes the attendees of every appointment that somebody takes part in; `next` says how, undefined leaves it. */
  async change(
    tx: Transaction,
    question: AttendanceQuestion,
    next: (appointment: Appointment) => Attendee[] | undefined,
    people: People = NOBODY,
  ): Promise<void> {
    let last = 0;
    for (;;) {
      const ids = await this.attendances.ids(tx, question, last, BATCH);
      if (ids.length === 0) return;
      last = ids.at(-1)!;
      const found = (await this.appointments.lockMany(tx, ids)).flatMap((before) => {
        const attendees = next(before);
        return attendees ? [{ before, attendees, place: placeOf(before) }] : [];
      });
      const users = found.flatMap(({ attendees, place }) => homeless(attendees, place));
      const homes = await this.places.homes(tx, [...new Set(users)], people);
      const changed = found.map(({ before, attendees, place }) => ({
        before,
        after: { ...before, attendees: placed(attendees, place, homes) },
      }));
      if (changed.length > 0) await this.writer.write(tx, undefined, { changed });
    }
  }
}

const placeOf = ({ isPublic, owner }: Appointment): Place => ({ type: isPublic ? 2 : 1, createdBy: owner });
