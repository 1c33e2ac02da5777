import { CalendarErrors } from '@groupware/contracts';
import { resolveRequestTimeZone, resolveTimeZone, ZoneOffsets } from '@groupware/recurrence';

/** The zone of a request: the parameter, else that of the user. @throws CAL-4001 for an unknown parameter */
export const resolveRequestZone = (parameter: string | undefined, userZone: string): ZoneOffsets =>
  ZoneOffsets.forZone(resolveRequestTimeZone(parameter, userZone, CalendarErrors.badTimeZone));

/** The name under which a zone is kept; unknown names are CAL-4001. */
export function requireTimeZone(name: string): string {
  const zone = resolveTimeZone(name);
  if (!zone) throw CalendarErrors.badTimeZone(name);
  return zone;
}
