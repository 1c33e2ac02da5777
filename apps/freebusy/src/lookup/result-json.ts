import { BUSY_TYPES, errorObject, type FreeBusyResult } from '@groupware/contracts';
import { VERSION } from '@groupware/service-kit';
import type { AttendeeTimes } from './free-busy';

const endOf = new Map(BUSY_TYPES.map((type) => [type, `,"fbType":"${type}"}`]));

/**
 * Serializes the result of one attendee ({@link FreeBusyResult}) directly: a thousand attendees have a hundred thousand
 * periods.
 */
export function toResultJson({ attendee, periods, warning }: AttendeeTimes, locale = 'en_US'): string {
  const warnings = warning && [{ ...errorObject(warning, locale), error_id: warning.errorId!, version: VERSION }];
  const rest: FreeBusyResult = { attendee, ...(warnings && { warnings }) };
  const text = JSON.stringify(rest);
  if (!periods) return text;
  let list = '';
  for (const { startMs, endMs, type } of periods)
    list += `${list && ','}{"startTime":${startMs},"endTime":${endMs}${endOf.get(type)}`;
  return `${text.slice(0, -1)},"freeBusyTime":[${list}]}`;
}
