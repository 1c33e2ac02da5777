import { randomUUID } from 'node:crypto';
import { CalendarErrors, type CalendarUserData, type DateTimeData, type EventData } from '@groupware/contracts';
import type { CalendarEvent, CalendarTime } from '@groupware/icalendar';
import {
  firstOccurrence,
  formatRule,
  type RecurrenceRule,
  type RuleUntil,
  type Series,
  ZoneOffsets,
} from '@groupware/recurrence';
import { type AppointmentContent, SHOWN_AS } from '../domain/appointment';
import { DAY_MS } from '../domain/local-days';
import { mapRecurrenceErrors } from '../domain/recurrence-input';
import { parseStoredRule, seriesOf, wholeSeriesOf } from '../domain/series';
import { skippedStartOf, toInstant } from '../icalendar/from-event';
import { getIcalendarExtra, type IcalendarExtra, type OutsideOrganizer } from '../domain/icalendar-extra';
import { toAppointmentTime } from '../icalendar/to-event';
import { resolveDeletedOccurrences, toLocal } from './deleted-occurrences';
import { colorLabelOf } from './event-color';
import { mailOf } from './event-people';
import { withRest } from '../domain/appointment-rest';
import { assignConferenceIds, DEFAULT_STATUS, setConferences, setExtendedProperties, setLinks } from './event-rest';
import { formatInstant, parseDateTime, parseRecurrenceId } from './event-time';

/** Longest texts, in characters. */
const MAX_LENGTH = {
  summary: 255,
  location: 255,
  url: 255,
  uid: 1024,
  filename: 255,
  categories: 1024,
  color: 255,
  description: 16_777_216,
} as const;
const TEXTS = ['summary', 'location', 'description', 'url', 'uid', 'filename', 'color'] as const;
const STATUS = ['TENTATIVE', 'CONFIRMED', 'CANCELLED'] as const;
const FREQUENCIES: readonly string[] = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'];

/** Refuses values that no event may have: CAL-5070, CAL-5071, CAL-4003. */
function requireValidEvent(body: EventData): void {
  for (const name of TEXTS) requireText(name, body[name]);
  requireText('categories', body.categories?.join(','));
  const { lat, long } = body.geo ?? {};
  if (body.geo && !(Math.abs(lat ?? NaN) <= 90 && Math.abs(long ?? NaN) <= 180))
    throw CalendarErrors.badGeo(`${lat} ${long}`);
}

function requireText(name: keyof typeof MAX_LENGTH, text: string | null | undefined): void {
  if (!text) return;
  // Postgres takes no NUL in texts.
  if (text.includes('\u0000')) throw CalendarErrors.badCharacter('U+0000', name);
  if (text.length > MAX_LENGTH[name]) throw CalendarErrors.valueTooLong(name, MAX_LENGTH[name], text.length);
}

/** Times of an event and how to read them. */
type Times = Pick<AppointmentContent, 'startMs' | 'endMs' | 'timeZone' | 'fullTime' | 'floating'>;

/** Content of a new event. CAL-4220 where start or end are missing. `userZone` stands for unknown zones. */
export function parseNewEvent(body: EventData, userZone: string): AppointmentContent {
  if (!body.startDate) throw CalendarErrors.fieldMissing('startDate');
  if (!body.endDate) throw CalendarErrors.fieldMissing('endDate');
  const empty: AppointmentContent = {
    uid: body.uid || randomUUID(),
    startMs: 0,
    endMs: 0,
    timeZone: userZone,
    fullTime: false,
    floating: false,
    title: null,
    location: null,
    note: null,
    shownAs: SHOWN_AS.reserved,
    classification: 0,
    color: null,
    categories: null,
    organizer: externalOrganizer(body) ?? null,
    organizerId: null,
    principal: null,
    principalId: null,
    sequence: 0,
    rule: null,
    rdates: null,
    exdates: null,
    extra: null,
  };
  const outsideOrganizer = empty.organizer === null ? undefined : toOutsideOrganizer(body.organizer!);
  const extra = withRest(empty, { file: { outsideOrganizer } });
  return applyEventContent({ ...empty, extra }, body, userZone);
}

/** The address of an organizer elsewhere, as far as the body alone can tell. */
const externalOrganizer = ({ organizer }: EventData): string | undefined =>
  organizer && !organizer.entity ? addressOf(organizer) : undefined;

const addressOf = ({ email, uri }: CalendarUserData): string | undefined => {
  const address = email ?? uri;
  return address ? (mailOf(address) ?? address) : undefined;
};

/** Name of an organizer elsewhere, and who acts in the name, as a body has them. */
function toOutsideOrganizer({ cn, sentBy }: CalendarUserData): OutsideOrganizer | undefined {
  const { email, uri, cn: name } = toTexts(sentBy);
  const mail = addressOf({ email, uri });
  for (const text of [cn, mail, name])
    if (text?.includes('\u0000')) throw CalendarErrors.badCharacter('U+0000', 'organizer');
  if (!cn && !mail) return undefined;
  return { ...(cn && { cn }), ...(mail && { sentBy: { mail, ...(name && { cn: name }) } }) };
}

/** The texts of an object; of everything else there are none. */
const toTexts = (value: unknown): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(Object.entries(value ?? {}).filter(([, each]) => typeof each === 'string'));

/** The content of an event with what a body says about it. Attendees, alarms and the organizer: see `EventEdit`. */
export function applyEventContent(before: AppointmentContent, body: EventData, userZone: string): AppointmentContent {
  requireValidEvent(body);
  const { times, end, skippedStart } = applyTimes(before, body, userZone);
  const color = applyText(getIcalendarExtra(before).color, body.color);
  const rest = getIcalendarExtra(before);
  const file: Partial<IcalendarExtra> = {
    end,
    skippedStart,
    status: applyStatus(rest.status, body.status),
    url: applyText(rest.url, body.url),
    geo: body.geo === undefined ? rest.geo : toGeo(body.geo),
    ...(body.color !== undefined && { color }),
    ...(body.categories !== undefined && { categories: separable(body.categories) }),
    ...(body.attachments !== undefined && { attachments: setLinks(rest, listLinks(body)) }),
    ...applyProperties(rest, body),
  };
  const content: AppointmentContent = {
    ...before,
    ...times,
    title: applyText(before.title, body.summary) ?? null,
    location: applyText(before.location, body.location) ?? null,
    note: applyText(before.note, body.description) ?? null,
    shownAs: applyTransparency(before.shownAs, body.transp),
    classification: applyClass(before.classification, body.class),
    color: body.color === undefined ? before.color : colorLabelOf(body.color ?? undefined),
    categories: body.categories === undefined ? before.categories : body.categories?.join(',') || null,
    sequence: Math.max(before.sequence, body.sequence ?? 0),
    extra: withRest(before, {
      file,
      event: {
        ...(body.filename !== undefined && { filename: body.filename || undefined }),
        ...(body.attendeePrivileges !== undefined && {
          attendeePrivileges: body.attendeePrivileges?.toUpperCase() === 'MODIFY' ? 'MODIFY' : undefined,
        }),
      },
    }),
  };
  return { ...content, ...applyRecurrence(before, content, body) };
}

function applyProperties(
  rest: IcalendarExtra,
  body: EventData,
): Pick<IcalendarExtra, 'extraProperties' | 'conferenceIds'> {
  if (body.conferences === undefined && body.extendedProperties === undefined) return {};
  let extraProperties = rest.extraProperties ?? [];
  if (body.extendedProperties !== undefined)
    extraProperties = setExtendedProperties({ extraProperties }, body.extendedProperties);
  if (body.conferences === undefined) return { extraProperties };
  const conferences = body.conferences ?? [];
  return {
    extraProperties: setConferences({ extraProperties }, conferences),
    conferenceIds: assignConferenceIds(rest, conferences),
  };
}

/** Links of the list of attachments; stored files and new ones are not among them. CAL-4006 for what is nothing of that. */
const listLinks = ({ attachments }: EventData) =>
  (attachments ?? []).filter(({ uri, managedId }) => {
    if (!uri && managedId == null) throw CalendarErrors.badData('attachments', 'neither managedId nor uri');
    return managedId == null && !/^cid:/i.test(uri!);
  });

/** Names with commas cannot be told from a list of names. */
const separable = (names: readonly string[] | null): readonly string[] | undefined =>
  names?.some((name) => name.includes(',')) ? names : undefined;

const toGeo = (geo: EventData['geo'] | null): CalendarEvent['geo'] =>
  geo ? { latitude: geo.lat!, longitude: geo.long! } : undefined;

function applyText<T extends string | null | undefined>(before: T, wire: string | null | undefined) {
  return wire === undefined ? (before ?? undefined) : wire || undefined;
}

function applyStatus(before: IcalendarExtra['status'], wire: string | null | undefined): IcalendarExtra['status'] {
  if (wire === undefined) return before;
  const status = STATUS.find((name) => name === wire?.toUpperCase());
  if (wire && !status) throw CalendarErrors.badData('status', wire);
  // Events without status are shown with this one, and clients send back what they see.
  return status === (before ?? DEFAULT_STATUS) ? before : status;
}

function applyTransparency(before: number, wire: string | null | undefined): number {
  if (wire === undefined) return before;
  if (wire?.toUpperCase() === 'TRANSPARENT') return SHOWN_AS.free;
  // Values that appointments tell more exactly stay.
  return before === SHOWN_AS.free ? SHOWN_AS.reserved : before;
}

/** Unknown classes are private (RFC 5545, section 3.8.1.3). */
function applyClass(before: number, wire: string | null | undefined): number {
  if (wire === undefined) return before;
  const name = (wire || 'PUBLIC').toUpperCase();
  return name === 'PUBLIC' ? 0 : name === 'CONFIDENTIAL' ? 1 : 2;
}

/** The times of a body, and the end where it has a zone of its own. CAL-4006, CAL-4220, CAL-4221, CAL-4229. */
function applyTimes(
  before: AppointmentContent,
  { startDate, endDate }: EventData,
  userZone: string,
): { times: Times } & Pick<IcalendarExtra, 'end' | 'skippedStart'> {
  const { end: endBefore, skippedStart } = getIcalendarExtra(before);
  if (startDate === undefined && endDate === undefined) return { times: before, end: endBefore, skippedStart };
  if (startDate === null) throw CalendarErrors.fieldMissing('startDate');
  if (endDate === null) throw CalendarErrors.fieldMissing('endDate');
  const start = startDate ? requireTime('startDate', startDate, userZone) : toAppointmentTime(before, before.startMs);
  const end = endDate ? requireTime('endDate', endDate, userZone) : toAppointmentTime(before, before.endMs);
  const isDay = start.kind === 'date';
  const floating = isDay || start.kind === 'floating';
  if (isDay !== (end.kind === 'date') || (start.kind === 'floating') !== (end.kind === 'floating'))
    throw CalendarErrors.mixedTimes(before.uid);
  const startMs = toInstant(start);
  const endMs = toInstant(end);
  if (endMs < startMs) throw CalendarErrors.endBeforeStart();
  const timeZone = start.kind === 'zoned' ? start.timeZone! : start.kind === 'utc' ? 'UTC' : before.timeZone;
  return {
    times: {
      startMs,
      endMs: isDay && endMs === startMs ? startMs + DAY_MS : endMs,
      timeZone,
      fullTime: isDay,
      floating,
    },
    end: end.kind !== start.kind || end.timeZone !== start.timeZone ? end : undefined,
    // Clients see, and send back, the time after one that the clocks skip.
    skippedStart: startMs === before.startMs && timeZone === before.timeZone ? skippedStart : skippedStartOf(start),
  };
}

function requireTime(name: string, data: DateTimeData, userZone: string): CalendarTime {
  const time = parseDateTime(data, userZone);
  if (!time) throw CalendarErrors.badData(name, data.value);
  return time;
}

/** The recurrence of a body. CAL-4002 and CAL-4223 for rules, CAL-4061 for deleted occurrences that are none. */
function applyRecurrence(
  before: AppointmentContent,
  content: AppointmentContent,
  { rrule, recurrenceDates, deleteExceptionDates }: EventData,
): Partial<AppointmentContent> {
  if (rrule === null || rrule === '') return { rule: null, rdates: null, exdates: null };
  const written = rrule === undefined ? before.rule : toRule(before.rule, rrule);
  const rule = written === null || before.rule === null ? written : adjustUntil(written, before, content);
  const clock = seriesOf({ ...content, rule, rdates: null, exdates: null });
  const rdates =
    recurrenceDates === undefined ? before.rdates : nullable(listAddedOccurrences(recurrenceDates ?? [], clock));
  const recurring = { ...content, rule, rdates };
  const isRecurring = rule !== null || Boolean(rdates?.length);
  if (isRecurring) mapRecurrenceErrors(() => requireOccurrence(wholeSeriesOf(recurring), rule));
  const exdates =
    deleteExceptionDates === undefined
      ? before.exdates
      : nullable(resolveDeletedOccurrences(deleteExceptionDates ?? [], before, recurring));
  return { rule, rdates, exdates: isRecurring ? exdates : null };
}

const listAddedOccurrences = (texts: readonly string[], clock: Series): number[] =>
  [...new Set(texts.map((text) => toLocal(clock, parseRecurrenceId(text, 'recurrenceDates'))))].sort((a, b) => a - b);

/** Requires that a series has an occurrence: CAL-4002. */
function requireOccurrence(series: Series, rule: string | null): void {
  if (!firstOccurrence(series)) throw CalendarErrors.badRule(`${rule}: it has no occurrence`);
}

const nullable = (list: readonly number[]): readonly number[] | null => (list.length > 0 ? list : null);

/** The rule as it is written, unless it means the same as before. */
function toRule(before: string | null, text: string): string {
  const written = text.trim().replace(/^RRULE:/i, '');
  const rule = mapRecurrenceErrors(() => parseStoredRule(written));
  if (!FREQUENCIES.includes(rule.frequency) || hasUnsupportedParts(rule)) throw CalendarErrors.unsupportedRule(written);
  return before !== null && formatRule(parseStoredRule(before)) === formatRule(rule) ? before : written;
}

/** The rule of a series that becomes a timed one, or ceases to be: UNTIL is an instant there, a day elsewhere. */
function adjustUntil(rule: string, before: AppointmentContent, after: AppointmentContent): string {
  const isTimed = ({ fullTime, floating }: AppointmentContent): boolean => !fullTime && !floating;
  const { until } = parseStoredRule(rule);
  if (!until || isTimed(before) === isTimed(after) || (until.kind === 'utc') === isTimed(after)) return rule;
  const text = isTimed(after)
    ? formatInstant(ZoneOffsets.forZone(after.timeZone).localToInstant(lastSecondOf(until)))
    : formatDay(until.kind === 'utc' ? ZoneOffsets.forZone(before.timeZone).instantToLocal(until.ms) : until.ms);
  return rule.replace(/UNTIL=[^;]*/i, `UNTIL=${text}`);
}

/** The last second of an UNTIL without zone, local ms. */
const lastSecondOf = ({ kind, ms }: RuleUntil): number => (kind === 'date' ? ms + DAY_MS - 1000 : ms);

const formatDay = (localMs: number): string => formatInstant(localMs).slice(0, 8);

const hasUnsupportedParts = ({ byHour, byMinute, bySecond, byWeekNo, byYearDay }: RecurrenceRule): boolean =>
  [byHour, byMinute, bySecond, byWeekNo, byYearDay].some((part) => part !== undefined);
