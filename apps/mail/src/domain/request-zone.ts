import { MailErrors, type UserPrincipal } from '@groupware/contracts';
import { resolveRequestTimeZone, ZoneOffsets } from '@groupware/recurrence';

/** The zone of the times of a request: that of its parameter, else that of the user. @throws MSG-0031 for an unknown one */
export const zoneOf = ({ timeZone }: Pick<UserPrincipal, 'timeZone'>, parameter: string | undefined): ZoneOffsets =>
  ZoneOffsets.forZone(
    resolveRequestTimeZone(parameter, timeZone, (unknown) => MailErrors.badParameter('timezone', unknown)),
  );
