import { CalendarErrors } from '@groupware/contracts';
import { toStorableUid } from '@groupware/folders';
import type { CalendarAlarm, CalendarEvent, CalendarTime } from '@groupware/icalendar';
import { validateSeries, ZoneOffsets } from '@groupware/recurrence';
import { type AppointmentContent, CLASSIFICATION, SHOWN_AS } from '../domain/appointment';
import { mapRecurrenceErrors } from '../domain/recurrence-input';
import { seriesOf, skippedStartAt } from '../domain/series';
import { type IcalendarExtra, ICALENDAR_EXTRA, type StoredEvent } from '../domain/icalendar-extra';

/** Content of an appointment as a file has it, and what belongs to the calendar user. */
export interface ImportedContent {
  readonly content: AppointmentContent;
  /** Minutes before the start. */
  readonly alarm: number | null;
}

/** Property by which our exports keep the colour number. */
export const COLOR_PROPERTY = 'x-color-label';
/** Property by which several products keep what TRANSP can't say. */
export const BUSY_PROPERTY = 'x-microsoft-cdo-busystatus';
const BUSY: Readonly<Record<string, number>> = {
  BUSY: SHOWN_AS.reserved,
  TENTATIVE: SHOWN_AS.temporary,
  OOF: SHOWN_AS.absent,
};
const MINUTE_MS = 60_000;
const MAX_COLOR = 10;

/** An event whose uid can be stored. */
export const toStorable = (event: CalendarEvent): CalendarEvent => ({ ...event, uid: toStorableUid(event.uid) });

/** The instant of a time with a zone; wall-clock ms for days and floating times. */
export const toInstant = (time: CalendarTime): number =>
  time.kind === 'zoned' ? ZoneOffsets.forZone(time.timeZone!).localToInstant(time.localMs) : time.localMs;

/** The local time of a start, where the clocks skip it. */
export const skippedStartOf = ({ kind, timeZone, localMs }: CalendarTime): number | undefined =>
  kind === 'zoned' ? skippedStartAt({ floating: false, timeZone: timeZone! }, localMs) : undefined;

/** An event of a file as content of an appointment. `userZone` is kept with floating times. CAL-4002 for rules that can't be used. */
export function toImportedContent(event: StoredEvent, userZone: string): ImportedContent {
  const { start, end } = event;
  const fullTime = start.kind === 'date';
  const floating = fullTime || start.kind === 'floating';
  const startMs = toInstant(start);
  const endMs = floating === (end.kind === 'date' || end.kind === 'floating') ? toInstant(end) : startMs;
  const series = event.rrule !== undefined || event.rdates.length > 0;
  const { alarm, rest: alarms } = splitAlarms(event.alarms);
  const times = {
    startMs,
    endMs: Math.max(startMs, endMs),
    timeZone: start.kind === 'zoned' ? start.timeZone! : start.kind === 'utc' ? 'UTC' : userZone,
    fullTime,
    floating,
    rule: event.rrule ?? null,
    rdates: event.rdates.length > 0 ? event.rdates : null,
    exdates: series && event.exdates.length > 0 ? event.exdates : null,
  };
  const extra = { [ICALENDAR_EXTRA]: restOf(event, alarm, alarms) };
  if (series) mapRecurrenceErrors(() => validateSeries(seriesOf({ ...times, extra })));
  return {
    alarm: alarm ? -(alarm.trigger as { offsetMs: number }).offsetMs / MINUTE_MS : null,
    content: {
      ...times,
      uid: event.uid,
      title: event.summary ?? null,
      location: event.location ?? null,
      note: event.description ?? null,
      shownAs: shownAs(event),
      classification: classification(event),
      color: color(event),
      categories: event.categories.length > 0 ? event.categories.join(',') : null,
      organizer: null,
      organizerId: null,
      principal: null,
      principalId: null,
      sequence: event.sequence,
      extra,
    },
  };
}

/** Refuses classifications that public calendars and those of other users must not hold (CAL-4222). */
export function requireValidFolderClassification(content: AppointmentContent, own: boolean, folderId: number): void {
  if (content.classification !== CLASSIFICATION.public && !own)
    throw CalendarErrors.privateNotAllowed(
      content.classification === CLASSIFICATION.private ? 'PRIVATE' : 'CONFIDENTIAL',
      folderId,
    );
}

function shownAs(event: CalendarEvent): number {
  // Cancelled events are free.
  if (event.transparency === 'TRANSPARENT' || event.status === 'CANCELLED') return SHOWN_AS.free;
  const [busy] = propertyOf(event, BUSY_PROPERTY);
  return BUSY[busy?.toUpperCase() ?? ''] ?? SHOWN_AS.reserved;
}

const classification = ({ classification: name }: CalendarEvent): number =>
  name === 'PRIVATE'
    ? CLASSIFICATION.private
    : name === 'CONFIDENTIAL'
      ? CLASSIFICATION.confidential
      : CLASSIFICATION.public;

function color(event: CalendarEvent): number | null {
  const [text] = propertyOf(event, COLOR_PROPERTY);
  const number = /^\d{1,2}$/.test(text ?? '') ? Number(text) : 0;
  return number > 0 && number <= MAX_COLOR ? number : null;
}

const propertyOf = (event: CalendarEvent, name: string): string[] =>
  (event.extraProperties.find(([property]) => property === name)?.slice(3) ?? []) as string[];

/** The first alarm that shows or sounds whole minutes before the start is that of the user. */
function splitAlarms(alarms: readonly CalendarAlarm[]): { alarm?: CalendarAlarm; rest: CalendarAlarm[] } {
  const alarm = alarms.find(
    ({ action, trigger }) =>
      (action === 'DISPLAY' || action === 'AUDIO') &&
      trigger.kind === 'relative' &&
      trigger.relatedTo === 'START' &&
      trigger.offsetMs <= 0 &&
      trigger.offsetMs % MINUTE_MS === 0 &&
      -trigger.offsetMs / MINUTE_MS < 2 ** 31,
  );
  return { alarm, rest: alarms.filter((entry) => entry !== alarm) };
}

function restOf(event: StoredEvent, alarm: CalendarAlarm | undefined, alarms: CalendarAlarm[]): IcalendarExtra {
  const otherZone = event.end.kind !== event.start.kind || event.end.timeZone !== event.start.timeZone;
  const mapped = new Set([COLOR_PROPERTY, BUSY_PROPERTY]);
  const properties = event.extraProperties.filter(([name]) => !mapped.has(name));
  const rest: IcalendarExtra = {
    recurrenceId: event.recurrenceId,
    rdatePeriods: event.rdatePeriods,
    status: event.status,
    // A list with a comma in one of its names can't be told from the comma list of the API.
    categories: event.categories.some((name) => name.includes(',')) ? event.categories : undefined,
    priority: event.priority,
    color: event.color,
    url: event.url,
    geo: event.geo,
    organizer: event.organizer,
    attachments: event.attachments,
    createdMs: event.createdMs,
    dtstampMs: event.dtstampMs,
    lastModifiedMs: event.lastModifiedMs,
    propertyParameters: event.propertyParameters,
    extraProperties: properties,
    extraComponents: event.extraComponents,
    end: otherZone ? event.end : undefined,
    skippedStart: skippedStartOf(event.start),
    partOf: event.partOf,
    alarm,
    alarms,
  };
  return Object.fromEntries(
    Object.entries(rest).filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0)),
  );
}
