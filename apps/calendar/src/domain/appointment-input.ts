import { randomUUID } from 'node:crypto';
import { AppointmentErrors, type AppointmentData, type UserPrincipal } from '@groupware/contracts';
import { resolveTimeZone, ZoneOffsets } from '@groupware/recurrence';
import { type AppointmentContent, CLASSIFICATION } from './appointment';
import { DAY_MS, dayOf } from './local-days';
import { mentionsRecurrence, requireRecurrence, seriesFromFields } from './recurrence-input';
import { requireTimeZone } from './request-zone';

const MAX_COLOR = 10;
const TEXTS = ['title', 'location', 'note', 'categories', 'uid', 'organizer', 'principal'] as const;

/** Refuses values that no appointment may have. */
function requireValidValues(body: AppointmentData): void {
  for (const name of TEXTS)
    // Postgres takes no NUL in texts.
    if (body[name]?.includes('\u0000')) throw AppointmentErrors.badCharacter('U+0000', name);
  if (body.color_label != null && (body.color_label < 0 || body.color_label > MAX_COLOR))
    throw AppointmentErrors.badColor(body.color_label);
}

/** Times of an appointment and how to read them. */
export type AppointmentTimes = Pick<AppointmentContent, 'startMs' | 'endMs' | 'timeZone' | 'fullTime' | 'floating'>;

/** Content of a new appointment. `zone` is the zone of the request. Missing and wrong values give their APP codes. */
export function parseNewContent(body: AppointmentData, zone: ZoneOffsets, user: UserPrincipal): AppointmentContent {
  requireValidValues(body);
  if (body.start_date == null) throw AppointmentErrors.startMissing();
  if (body.end_date == null) throw AppointmentErrors.endMissing();
  requireRecurrence(body);
  const fullTime = body.full_time ?? false;
  const times = normalizeTimes({
    startMs: fullTime ? body.start_date : zone.localToInstant(body.start_date),
    endMs: fullTime ? body.end_date : zone.localToInstant(body.end_date),
    timeZone: body.timezone ? requireTimeZone(body.timezone) : (resolveTimeZone(user.timeZone) ?? 'UTC'),
    fullTime,
    floating: fullTime,
  });
  return {
    ...times,
    uid: toNullableText(body.uid) ?? randomUUID(),
    title: toNullableText(body.title),
    location: toNullableText(body.location),
    note: toNullableText(body.note),
    shownAs: parseShownAs(body.shown_as),
    classification: body.private_flag ? 1 : 0,
    color: body.color_label || null,
    categories: toNullableText(body.categories),
    organizer: toNullableText(body.organizer),
    organizerId: null,
    principal: toNullableText(body.principal),
    principalId: null,
    sequence: 0,
    rule: null,
    rdates: null,
    exdates: null,
    extra: null,
    ...(body.recurrence_type ? seriesFromFields(body, times) : {}),
  };
}

/** Applies the content of an update. Recurrence: see {@link applySeriesChanges}. */
export function applyContentChanges(
  before: AppointmentContent,
  body: AppointmentData,
  zone: ZoneOffsets,
): AppointmentContent {
  requireValidValues(body);
  return {
    ...before,
    ...applyTimeChanges(before, body, zone),
    title: applyTextChange(before.title, body.title),
    location: applyTextChange(before.location, body.location),
    note: applyTextChange(before.note, body.note),
    categories: applyTextChange(before.categories, body.categories),
    shownAs: body.shown_as === undefined ? before.shownAs : parseShownAs(body.shown_as),
    classification: applyPrivateFlag(before.classification, body.private_flag),
    color: body.color_label === undefined ? before.color : body.color_label || null,
  };
}

/** The class after an update: the flag says only whether it is public, so one that says nothing new keeps it. */
function applyPrivateFlag(before: number, isPrivate: boolean | null | undefined): number {
  if (isPrivate === undefined || Boolean(isPrivate) === before > 0) return before;
  return isPrivate ? CLASSIFICATION.confidential : CLASSIFICATION.public;
}

/** The times after an update; end before start is APP-0020. */
function applyTimeChanges(before: AppointmentTimes, body: AppointmentData, zone: ZoneOffsets): AppointmentTimes {
  const timeZone = body.timezone ? requireTimeZone(body.timezone) : before.timeZone;
  const fullTime = body.full_time ?? before.fullTime;
  // A floating appointment stays so until it gets a zone or was a whole-day one and becomes timed.
  const floating = fullTime || (before.floating && !before.fullTime && !body.timezone);
  const read = (wire: number | null | undefined, old: number): number => {
    if (wire != null) return floating ? wire : zone.localToInstant(wire);
    if (floating === before.floating) return old;
    const own = ZoneOffsets.forZone(timeZone);
    return floating ? own.instantToLocal(old) : own.localToInstant(old);
  };
  return normalizeTimes({
    startMs: read(body.start_date, before.startMs),
    endMs: read(body.end_date, before.endMs),
    timeZone,
    fullTime,
    floating,
  });
}

/** Whole days begin and end at midnight and last a day at least; an end before the start is APP-0020. */
function normalizeTimes(times: AppointmentTimes): AppointmentTimes {
  if (times.endMs < times.startMs) throw AppointmentErrors.endBeforeStart();
  if (!times.fullTime) return times;
  const startMs = dayOf(times.startMs);
  const endMs = Math.max(startMs + DAY_MS, Math.ceil(times.endMs / DAY_MS) * DAY_MS);
  return { ...times, startMs, endMs };
}

/** Applies the recurrence of an update: unchanged, to a single appointment, or to a series. */
export function applySeriesChanges(
  before: Pick<AppointmentContent, 'rule' | 'rdates' | 'exdates'> & { readonly type: number },
  body: AppointmentData,
  times: AppointmentTimes,
): Partial<AppointmentContent> {
  if (!mentionsRecurrence(body)) return {};
  if (body.recurrence_type === 0) {
    requireRecurrence(body);
    return { rule: null, rdates: null, exdates: null };
  }
  // Recurrence fields go together: a body that names one of them must name all that the type needs.
  const input = { ...body, recurrence_type: body.recurrence_type ?? before.type };
  requireRecurrence(input);
  return { ...seriesFromFields(input, times), rdates: null };
}

const parseShownAs = (wire: number | null | undefined): number => (wire === 2 || wire === 3 || wire === 4 ? wire : 1);

const toNullableText = (wire: string | null | undefined): string | null => (wire ? wire : null);

const applyTextChange = (before: string | null, wire: string | null | undefined): string | null =>
  wire === undefined ? before : toNullableText(wire);
