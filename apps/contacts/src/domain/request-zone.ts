import { RequestErrors } from '@groupware/contracts';
import { resolveRequestTimeZone } from '@groupware/recurrence';

/** The name of the zone of a request: the parameter, else that of the user. @throws SVL-0010 for an unknown parameter */
export const resolveRequestZone = (parameter: string | undefined, userZone: string): string =>
  resolveRequestTimeZone(parameter, userZone, (unknown) => RequestErrors.badParameter('timezone', unknown));
