import { Injectable } from '@nestjs/common';
import { type OwnedReminder, toEventFolderId, type UserPrincipal } from '@groupware/contracts';
import { ModuleDatabase, type Reader } from '@groupware/persistence';
import { positionOf } from '@groupware/recurrence';
import { Clock } from '@groupware/service-kit';
import { calendarOf, isSeries } from '../domain/appointment';
import { seriesOf } from '../domain/series';
import { EventAlarmChanges } from './event-alarm-changes';
import { type FurtherAlarm, PendingAlarms } from './pending-alarms';
import { TriggerRepository } from './trigger.repository';

/** Alarms are told to the second. */
const SECOND_MS = 1_000;
/** Actions of alarms that are shown. */
const SHOWN: readonly string[] = ['DISPLAY', 'AUDIO'];

/** Alarms that appointments do not know, as reminders. */
@Injectable()
export class TriggerReminders {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly pending: PendingAlarms,
    private readonly triggers: TriggerRepository,
    private readonly changes: EventAlarmChanges,
    private readonly clock: Clock,
  ) {}

  /** Reminders of a user until a moment, of events in which he takes part. */
  async listShown(db: Reader, user: UserPrincipal, untilMs: number): Promise<OwnedReminder[]> {
    const found = await this.pending.listFurther(db, user);
    return found
      .filter(({ alarm, timeMs }) => timeMs <= untilMs && SHOWN.includes(alarm.action ?? ''))
      .flatMap((each) => toOwnedReminder(each) ?? []);
  }

  /** Acknowledges those of these reminders that the user has, and answers their ids. */
  async remove(user: UserPrincipal, ids: readonly number[]): Promise<number[]> {
    const own = await this.findOwn(user, ids);
    for (const each of own) await this.acknowledge(user, each);
    return own.map(({ id }) => id);
  }

  /**
   * Lets a reminder come again at another time, or leaves it where it is when that is over; undefined when the user has none of this
   * id.
   */
  async snooze(user: UserPrincipal, id: number, alarmMs: number): Promise<OwnedReminder | undefined> {
    const [own] = await this.findOwn(user, [id]);
    if (!own) return undefined;
    const listFurther = () => this.database.read(user, (db) => this.pending.listFurther(db, user));
    const snoozeMs = alarmMs - this.clock.now();
    if (snoozeMs < SECOND_MS) {
      const same = (await listFurther()).find(({ trigger }) => trigger?.id === id);
      return same && toOwnedReminder(same);
    }
    await this.acknowledge(user, own, snoozeMs);
    const again = (await listFurther())
      .filter(({ event, alarm }) => event.id === own.targetId && alarm.relatedTo?.relType === 'SNOOZE')
      .sort((a, b) => Math.abs(a.timeMs - alarmMs) - Math.abs(b.timeMs - alarmMs))[0];
    return again && toOwnedReminder(again);
  }

  private findOwn(user: UserPrincipal, ids: readonly number[]) {
    return this.database.read(user, (db) => this.triggers.listByIds(db, user.userId, ids));
  }

  private acknowledge(
    user: UserPrincipal,
    { targetId, alarmId, folderId }: { targetId: number; alarmId: number; folderId: number },
    snoozeMs?: number,
  ): Promise<unknown> {
    const query = { id: String(targetId), folder: toEventFolderId(folderId), alarmId };
    return this.changes.acknowledge(user, query, snoozeMs);
  }
}

function toOwnedReminder({ event, attendee, timeMs, localMs, trigger }: FurtherAlarm): OwnedReminder | undefined {
  if (!trigger) return undefined;
  const position =
    isSeries(event) && localMs !== undefined ? positionOf(seriesOf(event), localMs) : (event.position ?? undefined);
  return {
    id: trigger.id,
    targetId: event.id,
    folderId: calendarOf(event, attendee),
    alarm: timeMs,
    lastModified: event.lastModified,
    position: position ?? 0,
  };
}
