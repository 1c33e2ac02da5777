import { AppointmentData, APPOINTMENT_COLUMN_ALIASES } from '@groupware/contracts';
import { columnsOf, type Columns, type ColumnSql } from '@groupware/persistence';
import { ANONYMOUS_PROPERTIES, ANONYMOUS_TITLE } from '../domain/appointment-wire';

/** SQL texts that depend on where the rows of a view come from. */
export interface ColumnSource {
  /** The folder in which a row is shown. */
  readonly folder: string;
  /** The user whose alarm is shown. */
  readonly calendarUser: string;
}

const DAY = 86_400_000;
const ATTENDEES = 'from attendee p where p.context_id = a.context_id and p.appointment_id = a.id';

/**
 * Spans where the clocks of the request do not change: there the offset is a number in `$10` (times) or `$12` (stamps). Looking
 * them up takes 5 % of what Postgres does for a view (`bench/README.md`), and most requests are about days between changes.
 */
export interface FixedOffsets {
  /** While the appointments of the view take place. */
  readonly times: boolean;
  /** While objects were made. */
  readonly stamps: boolean;
}

/** Clocks that may change at any time: `$10` to `$13` see `ZoneTable`. */
export const VARIABLE_OFFSETS: FixedOffsets = { times: false, stamps: false };

/** An instant of the time of an appointment, as the clock of the request shows it. */
const wallClock = (column: string, steady: boolean): string =>
  `(${column} + case when a.floating then 0 else ${steady ? '$10::bigint' : `($11::bigint[])[width_bucket(${column}, $10::bigint[]) + 1]`} end)`;
const stampClock = (column: string, steady: boolean): string =>
  `(${column} + ${steady ? '$12::bigint' : `($13::bigint[])[width_bucket(${column}, $12::bigint[]) + 1]`})`;

/** RDATEs of a series with another length than the series, as the file had them. */
export const RDATE_PERIODS = `case when a.rdates is not null then a.extra #> '{icalendar,rdatePeriods}' end`;

/** The start of a series in local ms, where it is a time that the clocks skip. */
export const SKIPPED_START = `case when a.is_series then a.extra #> '{icalendar,skippedStart}' end`;

/** The columns that the expansion of a series depends on, as JSON; null without a series. */
export const RECURRING = `case when a.is_series then json_build_object('startMs', a.start_ms, 'endMs', a.end_ms,
  'timeZone', a.time_zone, 'fullTime', a.full_time, 'floating', a.floating, 'rule', a.rule, 'rdates', a.rdates,
  'exdates', a.exdates, 'changes', a.changes, 'rdatePeriods', ${RDATE_PERIODS}, 'skippedStart', ${SKIPPED_START}) end`;

/** Start of a row as it is shown; rows are sorted by it. */
export const shownStart = ({ times }: FixedOffsets): string => wallClock('a.start_ms', times);
/** End of a row as it is shown. */
export const shownEnd = ({ times }: FixedOffsets): string => wallClock('a.end_ms', times);

/** The columns of single appointments and change exceptions; those of series are worked out by `seriesRows`. */
export const appointmentColumns = (source: ColumnSource, clocks = VARIABLE_OFFSETS): Columns<AppointmentData> =>
  columnsOf(AppointmentData, columnSql(source, clocks));

/** The same for events of others that a user sees with nothing but the times. */
export function anonymousColumns(source: ColumnSource, clocks = VARIABLE_OFFSETS): Columns<AppointmentData> {
  const shown = Object.entries(columnSql(source, clocks)).map(([property, sql]) => [
    property,
    ANONYMOUS_PROPERTIES.has(property) ? sql : null,
  ]);
  return columnsOf(AppointmentData, {
    ...(Object.fromEntries(shown) as ColumnSql<AppointmentData>),
    title: `'${ANONYMOUS_TITLE}'::text`,
  });
}

function columnSql(source: ColumnSource, clocks: FixedOffsets): ColumnSql<AppointmentData> {
  return {
    id: 'a.id::text',
    folder_id: `${source.folder}::text`,
    created_by: 'a.created_by::text',
    modified_by: 'a.modified_by::text',
    creation_date: stampClock('a.created', clocks.stamps),
    last_modified: 'a.last_modified',
    last_modified_utc: 'a.last_modified',
    categories: 'a.categories',
    private_flag: 'a.classification > 0',
    color_label: 'coalesce(a.color, 0)',
    number_of_attachments: 'a.attachments',
    lastModifiedOfNewestAttachmentUTC: 'a.newest_attachment',
    title: 'a.title',
    start_date: shownStart(clocks),
    end_date: shownEnd(clocks),
    note: 'a.note',
    alarm: `(select p.alarm ${ATTENDEES} and p.type = 1 and p.entity = ${source.calendarUser})`,
    recurrence_id: 'a.series_id',
    recurrence_position: 'a.position',
    recurrence_date_position: `floor(a.recurrence_local / ${DAY}.0)::bigint * ${DAY}`,
    recurrence_type: 'case when a.series_id is null then 0 end',
    change_exceptions: null,
    delete_exceptions: null,
    days: null,
    day_in_month: null,
    month: null,
    interval: null,
    until: null,
    notification: null,
    participants: 'a.participants',
    users: 'a.users',
    occurrences: null,
    uid: 'a.uid',
    organizer: 'a.organizer',
    sequence: 'a.sequence',
    confirmations: 'a.confirmations',
    organizerId: 'a.organizer_id',
    principal: 'a.principal',
    principalId: 'a.principal_id',
    location: 'a.location',
    full_time: 'a.full_time',
    shown_as: 'a.shown_as',
    timezone: 'a.time_zone',
    recurrence_start: null,
    ignore_conflicts: null,
  };
}

/** Column numbers or names with the aliases `all` and `list` spelt out. */
export const expandedColumns = (columns: readonly string[]): string[] =>
  columns.flatMap((column) =>
    Object.hasOwn(APPOINTMENT_COLUMN_ALIASES, column) ? APPOINTMENT_COLUMN_ALIASES[column]!.map(String) : [column],
  );
