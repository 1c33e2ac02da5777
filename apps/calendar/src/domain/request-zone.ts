import { CalendarErrors } from '@groupware/contracts';
import { resolveTimeZone, ZoneOffsets } from '@groupware/recurrence';

/** The zone of a request: the parameter, else that of the user. An unknown parameter is CAL-4001. */
export function resolveRequestZone(parameter: string | undefined, userZone: string): ZoneOffsets {
  if (parameter !== undefined && parameter !== '') return ZoneOffsets.forZone(requireTimeZone(parameter));
  return ZoneOffsets.forZone(resolveTimeZone(userZone) ?? 'UTC');
}

/** The name under which a zone is kept; unknown names are CAL-4001. */
export function requireTimeZone(name: string): string {
  const zone = resolveTimeZone(name);
  if (!zone) throw CalendarErrors.badTimeZone(name);
  return zone;
}
