import { RequestErrors, TaskErrors } from '@groupware/contracts';
import { resolveTimeZone } from '@groupware/recurrence';

const MAX_ID = 2 ** 31 - 1;

/** The number of a task id; undefined for what is none. */
export function findTaskId(id: string): number | undefined {
  const number = /^\d{1,10}$/.test(id) ? Number(id) : NaN;
  return number <= MAX_ID ? number : undefined;
}

/** The number of a task id. @throws TSK-0019 for what is none: there is no such task */
export function parseTaskId(id: string, contextId: number): number {
  const number = findTaskId(id);
  if (number === undefined) throw TaskErrors.notFound(id, contextId);
  return number;
}

/** The name of the zone of a request: the parameter, else that of the user. @throws SVL-0010 for an unknown parameter */
export function requestZone(parameter: string | undefined, userZone: string): string {
  const zone = resolveTimeZone(parameter || userZone);
  if (!zone && parameter) throw RequestErrors.badParameter('timezone', parameter);
  return zone ?? 'UTC';
}
