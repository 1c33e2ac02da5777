import {
  BUSY_TYPES,
  errorObject,
  toEventFolderId,
  type BusyDetails,
  type FreeBusyAttendee,
  type FreeBusyEvent,
  type FreeBusyResult,
} from '@groupware/contracts';
import { VERSION } from '@groupware/service-kit';
import type { Period } from '../domain/period';
import type { AttendeeTimes } from './free-busy';

const typeOf = new Map(BUSY_TYPES.map((type) => [type, `,"fbType":"${type}"`]));

/**
 * Serializes the result of one attendee ({@link FreeBusyResult}) directly: a thousand attendees have a hundred thousand
 * periods. Without periods there is only the warning.
 */
export function toResultJson({ attendee, periods, warning }: AttendeeTimes, locale = 'en_US'): string {
  const text = describe(attendee, warning, locale);
  return periods ? withPeriods(text, periods, () => '') : text;
}

/** The text that names the event of a period; empty when it is not told. */
export type EventTexts = (appointmentId: number | undefined) => string;

/** Most periods of an answer that name their event: one series may make a thousand attendees busy every day. */
const MAX_NAMED_PERIODS = 10_000;

/** Names the events of periods by what is known of their appointments. */
export function createEventTexts(details: ReadonlyMap<number, BusyDetails>, most = MAX_NAMED_PERIODS): EventTexts {
  const texts = new Map(
    [...details].map(([id, { folder_id, title: summary, location }]) => {
      const event: FreeBusyEvent = {
        id: String(id),
        folder: toEventFolderId(folder_id),
        ...(summary !== undefined && { summary }),
        ...(location !== undefined && { location }),
      };
      return [id, `,"event":${JSON.stringify(event)}`];
    }),
  );
  let left = most;
  return (appointmentId) => {
    const text = appointmentId === undefined ? undefined : texts.get(appointmentId);
    if (text === undefined || left === 0) return '';
    left -= 1;
    return text;
  };
}

/** Like {@link toResultJson} for users of the event module: with events, and with an empty list for unknown attendees. */
export function toChronosResultJson(
  { attendee, periods = [], warning }: AttendeeTimes,
  locale: string,
  textOf: EventTexts = () => '',
): string {
  return withPeriods(describe(attendee, warning, locale), periods, textOf);
}

function describe(attendee: FreeBusyAttendee, warning: AttendeeTimes['warning'], locale: string): string {
  const warnings = warning && [{ ...errorObject(warning, locale), error_id: warning.errorId!, version: VERSION }];
  const rest: FreeBusyResult = { attendee, ...(warnings && { warnings }) };
  return JSON.stringify(rest);
}

function withPeriods(text: string, periods: readonly Period[], textOf: EventTexts): string {
  let list = '';
  for (const { startMs, endMs, type, appointmentId } of periods)
    list += `${list && ','}{"startTime":${startMs},"endTime":${endMs}${typeOf.get(type)}${textOf(appointmentId)}}`;
  return `${text.slice(0, -1)},"freeBusyTime":[${list}]}`;
}
