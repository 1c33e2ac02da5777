import {
  BUSY_TYPES,
  errorObject,
  toEventFolderId,
  type BusyDetails,
  type FreeBusyAttendee,
  type FreeBusyEvent,
  type FreeBusyResult,
} from '@groupware/contracts';
import { VERSION, type TextPieces } from '@groupware/service-kit';
import { forEachPeriod, type Period } from '../domain/period';
import type { AttendeeTimes } from './free-busy';

const typeOf = new Map(BUSY_TYPES.map((type) => [type, `,"fbType":"${type}"`]));

/**
 * Writes the result of one attendee ({@link FreeBusyResult}) directly: a thousand attendees have a hundred thousand
 * periods. Without periods there is only the warning.
 */
export async function writeResultJson(
  json: TextPieces,
  { attendee, periods, warning }: AttendeeTimes,
  locale = 'en_US',
): Promise<void> {
  const text = describe(attendee, warning, locale);
  if (periods) await writePeriods(json, text, periods, () => '');
  else json.add(text);
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

/** Like {@link writeResultJson} for users of the event module: with events, and with an empty list for unknown attendees. */
export const writeChronosResultJson = (
  json: TextPieces,
  { attendee, periods = [], warning }: AttendeeTimes,
  locale: string,
  textOf: EventTexts = () => '',
): Promise<void> => writePeriods(json, describe(attendee, warning, locale), periods, textOf);

function describe(attendee: FreeBusyAttendee, warning: AttendeeTimes['warning'], locale: string): string {
  const warnings = warning && [{ ...errorObject(warning, locale), error_id: warning.errorId!, version: VERSION }];
  const rest: FreeBusyResult = { attendee, ...(warnings && { warnings }) };
  return JSON.stringify(rest);
}

async function writePeriods(
  json: TextPieces,
  text: string,
  periods: readonly Period[],
  textOf: EventTexts,
): Promise<void> {
  json.add(`${text.slice(0, -1)},"freeBusyTime":[`);
  await forEachPeriod(periods.length, (index) => {
    const { startMs, endMs, type, appointmentId } = periods[index]!;
    json.add(
      `${index === 0 ? '' : ','}{"startTime":${startMs},"endTime":${endMs}${typeOf.get(type)}${textOf(appointmentId)}}`,
    );
  });
  json.add(']}');
}
