import { MailErrors, type UserPrincipal } from '@groupware/contracts';
import { resolveTimeZone, ZoneOffsets } from '@groupware/recurrence';

/** The zone of the times of a request: that of its parameter, else that of the user. @throws MSG-0031 for an unknown one */
export function zoneOf({ timeZone }: Pick<UserPrincipal, 'timeZone'>, parameter: string | undefined): ZoneOffsets {
  if (!parameter) return ZoneOffsets.forZone(resolveTimeZone(timeZone) ?? 'UTC');
  const zone = resolveTimeZone(parameter);
  if (zone === undefined) throw MailErrors.badParameter('timezone', parameter);
  return ZoneOffsets.forZone(zone);
}
