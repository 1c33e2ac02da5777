import { RequestErrors, type UserPrincipal } from '@groupware/contracts';
import { resolveTimeZone, ZoneOffsets } from '@groupware/recurrence';

/** The zone of the times of a request: that of its parameter, else that of the user. @throws SVL-0010 for an unknown one */
export function zoneOf({ timeZone }: Pick<UserPrincipal, 'timeZone'>, parameter: string | undefined): ZoneOffsets {
  const zone = resolveTimeZone(parameter || timeZone);
  if (!zone && parameter) throw RequestErrors.badParameter('timezone', parameter);
  return ZoneOffsets.forZone(zone ?? 'UTC');
}
