import { Injectable } from '@nestjs/common';
import type { Transaction } from '@groupware/persistence';
import { AlarmClock, Clock, Properties } from '@groupware/service-kit';
import { type Appointment, isException, PARTICIPANT } from '../domain/appointment';
import { listFurtherAlarms } from '../events/event-alarms';
import { getAttendeeRest, type StoredAlarm } from '../domain/attendee-rest';
import { clockOf, earliestClock, findNextTime, shiftOf, toAlarmedEvent } from './alarm-triggers';
import type { PlannedChanges } from './reminder-planner';
import { type AlarmTrigger, type TriggerKey, TriggerRepository } from './trigger.repository';

/** Actions of alarms that the server tells of. */
export const TOLD_ACTIONS: readonly string[] = ['DISPLAY', 'AUDIO', 'EMAIL'];
/** Widest distance between two clocks of users, ms. */
const CLOCKS_MS = 26 * 3_600_000;

type OwnAlarm = TriggerKey & { readonly alarm: StoredAlarm };
type PlannedTrigger = AlarmTrigger & Pick<OwnAlarm, 'alarm'>;

/**
 * Keeps the triggers of all alarms that appointments do not know in step with events, in the transaction that writes them.
 * Costs nothing where no user has such an alarm. Triggers of deleted appointments go with them.
 */
@Injectable()
export class TriggerPlanner {
  constructor(
    private readonly triggers: TriggerRepository,
    private readonly alarms: AlarmClock,
    private readonly clock: Clock,
    private readonly properties: Properties,
  ) {}

  /** To be called after the appointments were written: their rows must be locked. */
  async planTriggers(tx: Transaction, { created, changed }: PlannedChanges): Promise<void> {
    const fresh = created.filter((appointment) => listAlarms(appointment).length > 0);
    const touched = changed.filter(differ);
    if (fresh.length + touched.length === 0) return;
    const nowMs = this.clock.now();
    // An exception goes on where its series was: the user is not told again of an occurrence that became an event.
    const masters = fresh.filter(isException).map(({ seriesId }) => seriesId!);
    const targets = [...new Set([...touched.map(({ after }) => after.id), ...masters])];
    const stored = targets.length > 0 ? await this.triggers.listByTargets(tx, targets) : [];
    const known = new Map(stored.map((trigger) => [keyOf(trigger), trigger]));
    const planned = [
      ...fresh.flatMap((appointment) => planCreated(appointment, known, nowMs)),
      ...touched.flatMap((change) => planChanged(change, known, nowMs)),
    ].map(({ alarm, ...trigger }) => advance(trigger, shiftOf(alarm, this.properties)));
    const kept = new Set(planned.map(keyOf));
    const changedIds = new Set(touched.map(({ after }) => after.id));
    this.triggers.remove(
      tx,
      stored.filter((trigger) => changedIds.has(trigger.targetId) && !kept.has(keyOf(trigger))),
    );
    this.triggers.upsert(tx, planned);
    const first = Math.min(...planned.map(({ dueMs }) => dueMs ?? Infinity));
    if (Number.isFinite(first)) tx.afterCommit(() => this.alarms.scheduleBy(first));
  }
}

const keyOf = ({ targetId, userId, alarmId }: TriggerKey): string => `${targetId} ${userId} ${alarmId}`;

function planCreated(
  appointment: Appointment,
  known: ReadonlyMap<string, AlarmTrigger>,
  nowMs: number,
): PlannedTrigger[] {
  return listAlarms(appointment).map((own) => {
    const master = known.get(keyOf({ ...own, targetId: appointment.seriesId ?? appointment.id }));
    const { sinceMs, notifiedMs } = master ?? { sinceMs: nowMs, notifiedMs: null };
    return planTrigger(appointment, own, { sinceMs, notifiedMs });
  });
}

function planChanged(
  { before, after }: PlannedChanges['changed'][number],
  known: ReadonlyMap<string, AlarmTrigger>,
  nowMs: number,
): PlannedTrigger[] {
  const isMoved = describeTimes(before) !== describeTimes(after);
  const old = new Map(listAlarms(before).map((own) => [keyOf(own), own.alarm]));
  return listAlarms(after).map((own) => {
    const trigger = known.get(keyOf(own));
    const isSame = !isMoved && describeTrigger(old.get(keyOf(own))) === describeTrigger(own.alarm);
    const elapsed = trigger && isSame ? trigger : { sinceMs: nowMs, notifiedMs: null };
    return planTrigger(after, own, elapsed);
  });
}

function planTrigger(
  appointment: Appointment,
  { targetId, userId, alarmId, alarm }: OwnAlarm,
  { sinceMs, notifiedMs }: Pick<AlarmTrigger, 'sinceMs' | 'notifiedMs'>,
): PlannedTrigger {
  const { floating } = appointment;
  const overMs = Math.max(alarm.doneUntil ?? 0, sinceMs);
  // The clock of the user is asked when the earliest time has come.
  const next = findNextTime(toAlarmedEvent(appointment), alarm, floating ? earliestClock : clockOf('UTC'), {
    untilMs: floating && !alarm.trigger?.dateTime ? overMs - CLOCKS_MS : overMs,
    notifiedMs,
  });
  return { targetId, userId, alarmId, alarm, floating, sinceMs, notifiedMs, dueMs: next?.timeMs ?? null };
}

/** A trigger that is due so much earlier. */
const advance = (trigger: AlarmTrigger, shiftMs: number): AlarmTrigger => ({
  ...trigger,
  dueMs: trigger.dueMs === null ? null : trigger.dueMs - shiftMs,
});

/** Alarms of all users that appointments do not know and that the server tells of. */
const listAlarms = (appointment: Appointment): OwnAlarm[] =>
  appointment.attendees.flatMap((attendee) => {
    const { type, entity } = attendee;
    if (type !== PARTICIPANT.user || entity === null || !getAttendeeRest(attendee).alarms) return [];
    return listFurtherAlarms(appointment, attendee)
      .filter(({ id, action }) => id !== undefined && TOLD_ACTIONS.includes(action ?? ''))
      .map((alarm) => ({ targetId: appointment.id, userId: entity, alarmId: alarm.id!, alarm }));
  });

/** Everything but single occurrences that decides about the times of an event, as text. */
const describeTimes = ({ startMs, endMs, timeZone, floating, rule }: Appointment): string =>
  JSON.stringify([startMs, endMs, timeZone, floating, rule]);

const describeTrigger = (alarm: StoredAlarm | undefined): string | undefined =>
  alarm && JSON.stringify([alarm.trigger?.dateTime, alarm.trigger?.duration, alarm.trigger?.related ?? 'START']);

function differ({ before, after }: PlannedChanges['changed'][number]): boolean {
  const [old, own] = [listAlarms(before), listAlarms(after)];
  if (old.length + own.length === 0) return false;
  const describe = ({ rdates, exdates, changes }: Appointment): string => JSON.stringify([rdates, exdates, changes]);
  return (
    describeTimes(before) !== describeTimes(after) ||
    describe(before) !== describe(after) ||
    JSON.stringify(old) !== JSON.stringify(own)
  );
}
