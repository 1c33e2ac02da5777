import { calendarExport, calendarImport } from '@groupware/contracts';
import type { FileStore } from '@groupware/file-store';
import { CalendarUser } from './calendar-user';
import type { RunningCalendar } from './running-calendar';

/** One VEVENT of a file. */
export const eventText = (...lines: string[]): string =>
  ['BEGIN:VEVENT', 'DTSTAMP:20200101T000000Z', ...lines, 'END:VEVENT'].join('\r\n');

/** A file with these components. */
export const fileText = (...components: string[]): string =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//T//T//EN', ...components, 'END:VCALENDAR', ''].join('\r\n');

async function* bytes(text: string | Uint8Array) {
  yield typeof text === 'string' ? Buffer.from(text) : text;
}

/** Imports and exports calendars as the gateway would ask for it. */
export class CalendarFiles {
  constructor(
    private readonly running: RunningCalendar,
    private readonly files: FileStore,
  ) {}

  /** A user with an empty calendar. */
  enter(timeZone = 'UTC'): Promise<CalendarUser> {
    return CalendarUser.enter(this.running, { timeZone });
  }

  /** Results per item. */
  async load(
    { principal, folder }: Pick<CalendarUser, 'principal' | 'folder'>,
    text: string | Uint8Array,
    query: object = {},
  ): Promise<any[]> {
    const stored = await this.files.write(bytes(text), { maxBytes: 100_000_000 });
    return this.running.call(calendarImport.ICAL, {
      principal,
      query: { folder, ...query },
      files: [
        {
          field: 'file',
          reference: stored.reference,
          name: 'a.ics',
          contentType: 'text/calendar',
          sizeBytes: stored.sizeBytes,
        },
      ],
      deadline: Date.now() + 300_000,
    });
  }

  /** The calendar as a file. */
  async save({ principal, folder }: Pick<CalendarUser, 'principal' | 'folder'>): Promise<string> {
    const answer = await this.running.request(calendarExport.ICAL, { principal, query: { folder } });
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.files.read(answer.file!.reference)) chunks.push(chunk);
    await this.files.remove(answer.file!.reference);
    return Buffer.concat(chunks).toString();
  }

  /** Everything the tables hold of a calendar, without ids and stamps. */
  state({ folder }: Pick<CalendarUser, 'folder'>): Promise<any[]> {
    return this.running.sql(
      `select uid, recurrence_local, position, start_ms, end_ms, range_end_ms, time_zone, full_time, floating, title,
         location, note, shown_as, classification, color, categories, sequence, rule, rdates, exdates, changes,
         extra::text as extra, (select m.uid from appointment m where m.id = a.series_id and m.context_id = 1) as series,
         (select array_agg(t.alarm order by t.position) from attendee t
          where t.context_id = 1 and t.appointment_id = a.id) as alarms
       from appointment a where folder_id = $1 and context_id = 1 order by uid, recurrence_local nulls first`,
      [folder],
    );
  }

  /** A digest of {@link state}, for calendars that are too large to compare one by one. */
  async digest({ folder }: Pick<CalendarUser, 'folder'>): Promise<{ count: number; digest: string }> {
    const [row] = await this.running.sql(
      `select count(*)::int as count, md5(string_agg(entry, ',' order by entry)) as digest from (
         select (to_jsonb(a) - 'id' - 'folder_id' - 'series_id' - 'owner' - 'organizer' - 'organizer_id' - 'created_by'
           - 'modified_by' - 'created' - 'last_modified' - 'users' - 'participants')::text as entry
         from appointment a where folder_id = $1 and context_id = 1) e`,
      [folder],
    );
    return row;
  }
}
