import { type Appointment, type Attendee, CONFIRM, PARTICIPANT } from './appointment';
import { keyOf } from './attendee-list';

type Times = Pick<Appointment, 'startMs' | 'endMs' | 'rangeEndMs' | 'rule' | 'rdates' | 'fullTime' | 'timeZone'>;

/** True when times or recurrence differ. */
export const isRescheduled = (before: Times, after: Times): boolean =>
  before.startMs !== after.startMs ||
  before.endMs !== after.endMs ||
  before.rule !== after.rule ||
  before.fullTime !== after.fullTime ||
  before.timeZone !== after.timeZone ||
  String(before.rdates ?? '') !== String(after.rdates ?? '');

/** A rule without its end. */
const pattern = (rule: string | null): string =>
  (rule ?? '')
    .split(';')
    .filter((part) => !/^(UNTIL|COUNT)=/i.test(part))
    .join(';');

/**
 * True when people have to answer again: it begins earlier, ends later, or there are occurrences that were not there.
 * Making an appointment shorter asks nobody.
 */
export const needsNewAnswers = (before: Times, after: Times): boolean =>
  after.startMs < before.startMs ||
  after.endMs > before.endMs ||
  after.rangeEndMs > before.rangeEndMs ||
  pattern(before.rule) !== pattern(after.rule);

/** What a resource answers when it is booked for another time; undefined: what it answered before. */
export type BookingAnswer = (resourceId: number) => number | undefined;

/** Everybody but the owner has to answer again; whoever was invited just now keeps his first answer. */
export function asked(
  attendees: readonly Attendee[],
  owner: number,
  before: Appointment,
  booking: BookingAnswer = () => undefined,
): Attendee[] {
  const known = new Set(before.attendees.map(keyOf));
  return attendees.map((attendee) => {
    if (attendee.type === PARTICIPANT.resource && known.has(keyOf(attendee)))
      return { ...attendee, confirm: booking(attendee.entity!) ?? attendee.confirm };
    const answers = attendee.type === PARTICIPANT.user || attendee.type === PARTICIPANT.external;
    if (!answers || attendee.hidden || attendee.entity === owner || !known.has(keyOf(attendee))) return attendee;
    return { ...attendee, confirm: CONFIRM.none };
  });
}
