import { type Appointment, CLASSIFICATION, findAttendee, isException, isSeries, SHOWN_AS } from '../domain/appointment';
import { getIcalendarExtra } from '../domain/icalendar-extra';
import { listEventAlarms } from './event-alarms';
import { organizerIdOf } from '../domain/organizer';
import { hasOthers, isScheduled, partStatOf } from './event-people';
import { toLinks } from './event-rest';
import type { EventView } from './event-view';

/** Flags of answers; one that iCalendar does not name (x-name) has none. */
const ANSWER_FLAGS = ['needs_action', 'accepted', 'declined', 'tentative', 'delegated'] as const;
const toFlag = (partStat: string): string => partStat.toLowerCase().replace('-', '_');

/** Flags of an event, which lists show in place of its attendees, alarms and files. */
export function listFlags(appointment: Appointment, view: EventView): string[] {
  const { attachments, classification, shownAs } = appointment;
  const own = findAttendee(appointment, view.calendarUser);
  const scheduled = hasOthers(appointment) !== null && isScheduled(appointment);
  const onBehalf = view.calendarUser === view.userId ? '' : '_on_behalf';
  const status = getIcalendarExtra(appointment).status ?? 'CONFIRMED';
  const flags: (string | false | undefined)[] = [
    classification === CLASSIFICATION.private && 'private',
    classification === CLASSIFICATION.confidential && 'confidential',
    shownAs === SHOWN_AS.free && 'transparent',
    `event_${status.toLowerCase()}`,
    isSeries(appointment) && 'series',
    isException(appointment) && 'overridden',
    ...occurrenceFlags(appointment, view),
  ];
  if (!view.anonymous)
    flags.push(
      (attachments > 0 || toLinks(getIcalendarExtra(appointment)).length > 0) && 'attachments',
      own !== undefined && listEventAlarms(appointment, own).length > 0 && 'alarms',
      scheduled && 'scheduled',
      scheduled && organizerIdOf(appointment) === view.calendarUser && `organizer${onBehalf}`,
      scheduled && own !== undefined && `attendee${onBehalf}`,
      scheduled && own !== undefined && ANSWER_FLAGS.find((flag) => flag === toFlag(partStatOf(own))),
    );
  return flags.filter((flag) => flag !== false && flag !== undefined);
}

/** Whether an occurrence is the first or the last of its series. */
function occurrenceFlags({ rangeEndMs }: Appointment, { occurrence }: EventView): (string | false)[] {
  if (!occurrence) return [];
  return [occurrence.position === 1 && 'first_occurrence', occurrence.endMs >= rangeEndMs && 'last_occurrence'];
}
