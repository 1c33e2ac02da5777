import { FolderErrors, type UserPrincipal } from '@groupware/contracts';
import { resolveTimeZone, ZoneOffsets } from '@groupware/recurrence';

/** The zone of the times of a request: that of its parameter, else that of the user. @throws FLD-0058 for an unknown one */
export function zoneOf({ timeZone }: Pick<UserPrincipal, 'timeZone'>, parameter?: string): ZoneOffsets {
  if (!parameter) return ZoneOffsets.forZone(resolveTimeZone(timeZone) ?? 'UTC');
  const zone = resolveTimeZone(parameter);
  if (!zone) throw FolderErrors.badParameter('timezone', parameter);
  return ZoneOffsets.forZone(zone);
}
