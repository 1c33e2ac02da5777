import { findObjectNumber, RequestErrors, TaskErrors } from '@groupware/contracts';
import { resolveRequestTimeZone } from '@groupware/recurrence';

/** The number of a task id. @throws TSK-0019 for what is none: there is no such task */
export function parseTaskId(id: string, contextId: number): number {
  const number = findObjectNumber(id);
  if (number === undefined) throw TaskErrors.notFound(id, contextId);
  return number;
}

/** The name of the zone of a request: the parameter, else that of the user. @throws SVL-0010 for an unknown parameter */
export const requestZone = (parameter: string | undefined, userZone: string): string =>
  resolveRequestTimeZone(parameter, userZone, (unknown) => RequestErrors.badParameter('timezone', unknown));
