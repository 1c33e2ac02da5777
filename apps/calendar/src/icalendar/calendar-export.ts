import { Inject, Injectable } from '@nestjs/common';
import {
  APPOINTMENT_RIGHTS,
  recordCheck,
  type ExportedTime,
  type FileReply,
  type UserPrincipal,
} from '@groupware/contracts';
import { FILES, toFileName, writeTextFile, type FileStore } from '@groupware/file-store';
import { type CalendarEvent, writeCalendar } from '@groupware/icalendar';
import type { Reader } from '@groupware/persistence';
import { CalendarConfig } from '../calendar.config';
import type { Appointment } from '../domain/appointment';
import { isModeratorSide } from '../domain/organizer';
import { isForModerators } from '../events/event-rest';
import { type AccessedFolder, visibilityOf } from '../folders/folder-access';
import { AppointmentRepository } from '../persistence/appointment.repository';
import { toCalendarEvent } from './to-event';

/** Identifies the product in files. */
export const PRODUCT = '-//Groupware//Calendar//EN';
const PAGE = 500;

/** Writes calendars into files of the file store. */
@Injectable()
export class CalendarExport {
  constructor(
    private readonly appointments: AppointmentRepository,
    private readonly config: CalendarConfig,
    @Inject(FILES) private readonly files: FileStore,
  ) {}

  /** Everything in a folder that the user may read and that touches a time, page by page. */
  async *streamFolder(
    db: Reader,
    user: UserPrincipal,
    folder: AccessedFolder,
    { from = -Infinity, until = Infinity }: ExportedTime = {},
  ): AsyncGenerator<CalendarEvent> {
    for (let after = 0; ;) {
      const page = await this.appointments.listByFolder(db, folder.id, after, PAGE);
      const wanted = page.filter(({ startMs, rangeEndMs }) => startMs < until && rangeEndMs > from);
      yield* this.streamEvents(db, user, folder, wanted);
      if (page.length < PAGE) return;
      after = page.at(-1)!.id;
    }
  }

  /** Some appointments as events; what the user may not read is left out. */
  async *streamEvents(
    db: Reader,
    user: UserPrincipal,
    folder: AccessedFolder,
    page: readonly Appointment[],
  ): AsyncGenerator<CalendarEvent> {
    recordCheck(APPOINTMENT_RIGHTS.read);
    const masters = new Map(page.map((appointment) => [appointment.id, appointment]));
    const missing = page.flatMap(({ seriesId }) => (seriesId !== null && !masters.has(seriesId) ? [seriesId] : []));
    if (missing.length > 0)
      for (const master of await this.appointments.listByIds(db, [...new Set(missing)])) masters.set(master.id, master);
    for (const appointment of page)
      if (visibilityOf(appointment, folder, user) === 'full')
        yield withoutUnseen(
          toCalendarEvent(
            appointment,
            folder.calendarUser,
            appointment.seriesId === null ? undefined : masters.get(appointment.seriesId),
          ),
          isModeratorSide(appointment, folder.calendarUser),
        );
  }

  /**
   * Writes events into a file that goes once it was sent. Alarms are those of one user: files go to others.
   * @param after text that follows them
   */
  writeFile(events: AsyncIterable<CalendarEvent>, title: string, after?: AsyncIterable<string>): Promise<FileReply> {
    const texts = writeCalendar(withoutAlarms(events), { prodId: PRODUCT, calendarName: title });
    return writeTextFile(this.files, after ? chain(texts, after) : texts, {
      name: `${toFileName(title)}.ics`,
      contentType: 'text/calendar; charset=UTF-8',
      maxBytes: this.config.exportMaxBytes,
    });
  }
}

const withoutUnseen = (event: CalendarEvent, isModerator: boolean): CalendarEvent =>
  isModerator ? event : { ...event, extraProperties: event.extraProperties.filter((each) => !isForModerators(each)) };

async function* chain<T>(...parts: readonly AsyncIterable<T>[]): AsyncGenerator<T> {
  for (const part of parts) yield* part;
}

async function* withoutAlarms(events: AsyncIterable<CalendarEvent>): AsyncGenerator<CalendarEvent> {
  for await (const event of events) yield { ...event, alarms: [] };
}
