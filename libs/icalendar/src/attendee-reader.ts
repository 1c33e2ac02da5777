import type { CalendarAttendee } from './calendar-event';
import type { ReadProperty } from './component';
import { otherParameters, parameterText, readCommonName } from './content-line';

/** Parameters that have fields of their own. */
const FIELDS = ['cn', 'cutype', 'role', 'partstat', 'rsvp', 'sent-by', 'x-response-comment'];

/** Reads ATTENDEE; nothing when it has no address. */
export function readAttendee({ raw, value }: ReadProperty): CalendarAttendee | undefined {
  const uri = value.trim();
  if (uri === '') return undefined;
  const parameters = raw[1];
  const upper = (name: string) => parameterText(parameters, name)?.toUpperCase();
  const cn = parameterText(parameters, 'cn');
  const rsvp = upper('rsvp');
  return {
    uri,
    cn: cn === undefined ? undefined : readCommonName(cn),
    cuType: upper('cutype'),
    role: upper('role'),
    partStat: upper('partstat'),
    rsvp: rsvp === 'TRUE' ? true : rsvp === 'FALSE' ? false : undefined,
    sentBy: parameterText(parameters, 'sent-by'),
    comment: parameterText(parameters, 'x-response-comment'),
    parameters: otherParameters(parameters, FIELDS),
  };
}
