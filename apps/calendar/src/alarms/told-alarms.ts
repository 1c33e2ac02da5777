import { type AlarmMail, calendarEvents, REMINDER_MODULE, reminderEvents, type DueAlarm } from '@groupware/contracts';
import type { AdministrationTransaction } from '@groupware/persistence';
import { positionOf } from '@groupware/recurrence';
import type { Appointment } from '../domain/appointment';
import { seriesOf } from '../domain/series';
import type { StoredAlarm } from '../domain/attendee-rest';
import { countAlarm } from './alarm-metrics';
import type { AlarmedEvent, AlarmTime } from './alarm-triggers';
import { startInstant } from './reminder';

/** Longest text in what is told of an alarm, in characters: those of feeds may be longer than a message of the bus. */
export const MAX_TOLD_TEXT = 2_000;

/** Facts of an event that its user is told. */
export interface ToldEvent
  extends Pick<AlarmedEvent, 'floating' | 'recurring'>, Pick<Appointment, 'title' | 'location' | 'fullTime'> {
  readonly contextId: number;
  readonly userId: number;
  readonly targetId: number;
  /** Folder in which the user sees the event. */
  readonly folderId: number;
  /** A number among those of reminders. */
  readonly reminderId: number;
  readonly note: string | null;
  /** Number of an exception within its series. */
  readonly position?: number | null;
}

/** A time of an alarm that has come. */
export interface ToldAlarm {
  readonly event: ToldEvent;
  readonly alarm: StoredAlarm;
  readonly time: AlarmTime;
  readonly zone: string;
}

/** Publishes that times of alarms have come, by mail or to the clients of the user, and counts them once that is committed. */
export async function publishTold(
  db: AdministrationTransaction,
  told: readonly ToldAlarm[],
  nowMs: number,
): Promise<void> {
  for (const each of told) {
    if (each.alarm.action === 'EMAIL')
      await db.publishFor(each.event, calendarEvents['alarm-mail.requested'], toAlarmMail(each));
    else await db.publishFor(each.event, reminderEvents['alarm.due'], toDueAlarm(each));
  }
  db.afterCommit(() => {
    for (const { time } of told) countAlarm(Math.max(0, nowMs - time.timeMs));
  });
}

const cut = (text: string | null): string | null => text && text.slice(0, MAX_TOLD_TEXT);

function toDueAlarm({ event, alarm, time, zone }: ToldAlarm): DueAlarm {
  const { reminderId, userId, targetId, folderId, title, floating, fullTime, recurring } = event;
  const position =
    recurring && time.localMs !== undefined ? positionOf(seriesOf(recurring), time.localMs) : event.position;
  return {
    ...{ module: REMINDER_MODULE.calendar, reminderId, userId, targetId, folderId },
    ...(position && { position }),
    alarm: time.timeMs,
    title: cut(title),
    start: startInstant({ startMs: time.startMs, floating }, zone),
    end: startInstant({ startMs: time.endMs, floating }, zone),
    fullTime,
    again: alarm.relatedTo?.relType === 'SNOOZE',
  };
}

const toAlarmMail = ({ event, alarm, time }: ToldAlarm): AlarmMail => ({
  userId: event.userId,
  eventId: event.targetId,
  alarm: time.timeMs,
  summary: cut(event.title),
  location: cut(event.location),
  description: cut(alarm.description || event.note),
  startMs: time.startMs,
  endMs: time.endMs,
  floating: event.floating,
  wholeDays: event.fullTime,
});
