import { Injectable } from '@nestjs/common';
import {
  toEventFolderId,
  toFeedFolderId,
  type AlarmData,
  type AlarmTriggerResult,
  type UserPrincipal,
} from '@groupware/contracts';
import type { Reader } from '@groupware/persistence';
import { resolveTimeZone } from '@groupware/recurrence';
import { Clock, isTurnOver, yieldToEventLoop } from '@groupware/service-kit';
import { CalendarConfig } from '../calendar.config';
import {
  type Appointment,
  type Attendee,
  calendarOf,
  findAttendee,
  isException,
  isSeries,
} from '../domain/appointment';
import { DAY_MS } from '../domain/local-days';
import { isSnoozeOf, listEventAlarms, listFurtherAlarms } from '../events/event-alarms';
import { formatInstant, formatRecurrenceId, parseIcalendarTime } from '../events/event-time';
import { FeedEventRepository } from '../feeds/feed-event.repository';
import { AppointmentRepository } from '../persistence/appointment.repository';
import { AlarmRepository } from './alarm.repository';
import { clockOf, findNextTime, toAlarmedEvent } from './alarm-triggers';
import { NO_OCCURRENCE } from './reminder';
import { dueInstant } from './reminder-wire';
import { ReminderRepository, type ShownReminder } from './reminder.repository';
import { TriggerRepository, type UserTrigger } from './trigger.repository';

/** Which times are asked for, ms UTC; both ends belong to them. */
export interface PendingRange {
  readonly fromMs: number | undefined;
  readonly toMs: number;
  /** In upper case. */
  readonly actions: ReadonlySet<string>;
}

interface PendingAlarm {
  readonly alarm: AlarmData;
  readonly event: Appointment;
  readonly attendee: Attendee;
  readonly timeMs: number;
  /** Original start of the occurrence, local ms. */
  readonly localMs: number | undefined;
}

/** An alarm that appointments do not know. */
export interface FurtherAlarm extends PendingAlarm {
  /** Absent where it was never planned. */
  readonly trigger: UserTrigger | undefined;
}

/** Lists alarms whose time has come or comes soon: reminders, and the alarms that appointments do not know. */
@Injectable()
export class PendingAlarms {
  constructor(
    private readonly appointments: AppointmentRepository,
    private readonly reminders: ReminderRepository,
    private readonly alarms: AlarmRepository,
    private readonly triggers: TriggerRepository,
    private readonly feeds: FeedEventRepository,
    private readonly config: CalendarConfig,
    private readonly clock: Clock,
  ) {}

  /** Lists the next time of each alarm of a user, the earliest first. */
  async listPending(db: Reader, user: UserPrincipal, range: PendingRange): Promise<AlarmTriggerResult[]> {
    const { reminderMax } = this.config;
    const shown = await this.reminders.listShown(db, user.userId, range.toMs, reminderMax);
    const targets = [...new Set(shown.map(({ targetId }) => targetId))];
    const planned = targets.length > 0 ? await this.appointments.listByIds(db, targets) : [];
    const further = await this.listFurther(db, user);
    const events = new Map([...planned, ...further.map(({ event }) => event)].map((event) => [event.id, event]));
    const found = [
      ...keepEarliest(shown.flatMap((reminder) => toPlanned(reminder, events.get(reminder.targetId), user) ?? [])),
      ...further,
      ...(await this.listOfFeeds(db, user)),
    ];
    const pending = found
      .filter(({ alarm, timeMs }) => {
        const isInRange = timeMs <= range.toMs && timeMs >= (range.fromMs ?? -Infinity);
        return isInRange && range.actions.has((alarm.action ?? '').toUpperCase());
      })
      .sort((a, b) => a.timeMs - b.timeMs)
      .slice(0, reminderMax);
    const masters = await this.loadMasters(
      db,
      pending.filter(({ event }) => !event.isExternal),
      events,
    );
    return pending.map((each) => toTrigger(each, masters));
  }

  /** Lists the next time of each alarm of a user that appointments do not know. */
  async listFurther(db: Reader, user: UserPrincipal): Promise<FurtherAlarm[]> {
    const { reminderMax, reminderDays } = this.config;
    const sinceMs = this.clock.now() - reminderDays * DAY_MS;
    const ids = await this.alarms.listWithAlarms(db, user.userId, sinceMs, reminderMax);
    if (ids.length === 0) return [];
    const zone = resolveTimeZone(user.timeZone) ?? 'UTC';
    const triggers = await this.triggers.listOfUser(db, user.userId, ids);
    const known = new Map(triggers.map((trigger) => [keyOf(trigger), trigger]));
    const found: FurtherAlarm[] = [];
    for (const event of await this.appointments.listByIds(db, ids)) {
      if (isTurnOver()) await yieldToEventLoop();
      found.push(...listOthers(event, user.userId, known, { zone, sinceMs }));
    }
    return found;
  }

  /** The same in calendars of the web. */
  private async listOfFeeds(db: Reader, user: UserPrincipal): Promise<FurtherAlarm[]> {
    const { reminderMax, reminderDays } = this.config;
    const sinceMs = this.clock.now() - reminderDays * DAY_MS;
    const zone = resolveTimeZone(user.timeZone) ?? 'UTC';
    const found: FurtherAlarm[] = [];
    for (const { event, toldMs } of await this.feeds.listWithAlarms(db, user.userId, sinceMs, reminderMax)) {
      if (isTurnOver()) await yieldToEventLoop();
      found.push(...listOthers(event, user.userId, new Map(), { zone, sinceMs, mailedMs: toldMs }));
    }
    return found;
  }

  /** Series of the exceptions: original starts are written by their clocks. */
  private async loadMasters(
    db: Reader,
    pending: readonly PendingAlarm[],
    known: ReadonlyMap<number, Appointment>,
  ): Promise<ReadonlyMap<number, Appointment>> {
    const ids = pending.flatMap(({ event }) => (isException(event) ? [event.seriesId!] : []));
    const missing = [...new Set(ids)].filter((id) => !known.has(id));
    if (missing.length === 0) return known;
    return new Map([
      ...known,
      ...(await this.appointments.listByIds(db, missing)).map((each) => [each.id, each] as const),
    ]);
  }
}

/** The alarm behind a reminder; one that was snoozed goes by the name of its repetition. */
function toPlanned(
  reminder: ShownReminder,
  event: Appointment | undefined,
  user: UserPrincipal,
): PendingAlarm | undefined {
  const attendee = event && findAttendee(event, user.userId);
  if (!attendee || attendee.alarm === null) return undefined;
  const [planned, ...others] = listEventAlarms(event, attendee);
  const timeMs = dueInstant(reminder, user.timeZone);
  const repetition = others.find(
    (alarm) => isSnoozeOf(alarm, planned!.uid) && parseIcalendarTime(alarm.trigger?.dateTime ?? '')?.ms === timeMs,
  );
  const localMs = reminder.occurrence === NO_OCCURRENCE ? undefined : reminder.occurrence;
  return { alarm: repetition ?? planned!, event, attendee, timeMs, localMs };
}

/** The earliest time of each alarm: occurrences of a series that were told of have reminders beside that of the next one. */
function keepEarliest(pending: readonly PendingAlarm[]): PendingAlarm[] {
  const earliest = new Map<string, PendingAlarm>();
  for (const each of pending) {
    const key = keyOf({ targetId: each.event.id, alarmId: each.alarm.id! });
    const known = earliest.get(key);
    if (!known || each.timeMs < known.timeMs) earliest.set(key, each);
  }
  return [...earliest.values()];
}

const keyOf = ({ targetId, alarmId }: Pick<UserTrigger, 'targetId' | 'alarmId'>): string => `${targetId} ${alarmId}`;

/** The alarms that appointments do not know. Those that leave by mail are over when they have left. */
function listOthers(
  event: Appointment,
  userId: number,
  triggers: ReadonlyMap<string, UserTrigger>,
  { zone, sinceMs, mailedMs = 0 }: { readonly zone: string; readonly sinceMs: number; readonly mailedMs?: number },
): FurtherAlarm[] {
  const attendee = findAttendee(event, userId);
  if (!attendee) return [];
  return listFurtherAlarms(event, attendee).flatMap((alarm): FurtherAlarm[] => {
    const trigger = triggers.get(keyOf({ targetId: event.id, alarmId: alarm.id! }));
    const next = findNextTime(toAlarmedEvent(event), alarm, clockOf(zone), {
      untilMs: Math.max(sinceMs, alarm.doneUntil ?? 0, trigger?.sinceMs ?? 0, alarm.action === 'EMAIL' ? mailedMs : 0),
      notifiedMs: alarm.action === 'EMAIL' ? (trigger?.notifiedMs ?? null) : null,
    });
    return next ? [{ alarm, event, attendee, timeMs: next.timeMs, localMs: next.localMs, trigger }] : [];
  });
}

function toTrigger(
  { alarm, event, attendee, timeMs, localMs }: PendingAlarm,
  events: ReadonlyMap<number, Appointment>,
): AlarmTriggerResult {
  const master = isSeries(event) ? event : isException(event) ? (events.get(event.seriesId!) ?? event) : undefined;
  const original = localMs ?? event.recurrenceLocalMs ?? undefined;
  return {
    alarmId: String(alarm.id),
    action: alarm.action!.toUpperCase(),
    eventId: String(event.id),
    folder: event.isExternal ? toFeedFolderId(event.folderId) : toEventFolderId(calendarOf(event, attendee)),
    account: event.isExternal ? event.folderId : 0,
    time: formatInstant(timeMs),
    ...(master && original !== undefined ? { recurrenceId: formatRecurrenceId(master, original) } : {}),
  };
}
