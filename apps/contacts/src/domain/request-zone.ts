import { RequestErrors } from '@groupware/contracts';
import { resolveTimeZone } from '@groupware/recurrence';

/** The name of the zone of a request: the parameter, else that of the user. An unknown parameter is SVL-0010. */
export function resolveRequestZone(parameter: string | undefined, userZone: string): string {
  if (!parameter) return resolveTimeZone(userZone) ?? 'UTC';
  const zone = resolveTimeZone(parameter);
  if (!zone) throw RequestErrors.badParameter('timezone', parameter);
  return zone;
}
