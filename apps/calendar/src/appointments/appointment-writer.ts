import { Injectable } from '@nestjs/common';
import { calendarEvents } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Clock, hashPushTokens, pauseAfterTurn } from '@groupware/service-kit';
import { ReminderPlanner } from '../alarms/reminder-planner';
import { startAlarms } from '../events/event-alarms';
import { AppointmentQuota } from './appointment-quota';
import { type CopiedFiles, FileCopies } from './file-copies';
import { isAlarmChange, stampAlarmChange } from '../domain/alarm-change';
import { type Appointment, isException } from '../domain/appointment';
import { toAppointmentChange } from '../domain/appointment-change';
import { AppointmentRepository, listFolders } from '../persistence/appointment.repository';

const UNLIMITED = -1;

/** An appointment before and after a change. */
export interface ChangedAppointment {
  readonly before: Appointment;
  readonly after: Appointment;
}

/** Changes of one transaction to appointments. All of it gets one stamp. */
export interface AppointmentChanges extends CopiedFiles {
  /** Ids are given by the writer; the order stays. Their files are copies of those of their series. */
  readonly created?: readonly Appointment[];
  readonly changed?: readonly ChangedAppointment[];
  readonly removed?: readonly Appointment[];
  /** Most appointments of the context, as {@link AppointmentQuota} knows it. Absent: without limit, as for deletions. */
  readonly maxAppointments?: number;
}

/** Outcome of a write. */
export interface WrittenAppointments {
  readonly stamp: number;
  readonly created: readonly Appointment[];
  /** As they are stored now. */
  readonly changed: readonly ChangedAppointment[];
  /** Series with nothing new but the stamp: an exception of theirs changed, and with it who sees its date as deleted. */
  readonly touched: readonly ChangedAppointment[];
}

/** Writes appointments with their stamps, tombstones and events. */
@Injectable()
export class AppointmentWriter {
  /** Push tokens of the clients that make changes, hashed. */
  private readonly leftOut = new WeakMap<Transaction, readonly string[]>();

  constructor(
    private readonly appointments: AppointmentRepository,
    private readonly reminders: ReminderPlanner,
    private readonly clock: Clock,
    private readonly quota: AppointmentQuota,
    private readonly copies: FileCopies,
  ) {}

  /** The client with this push token is not told of what the transaction writes. */
  leaveOut(tx: Transaction, pushToken: string | undefined): void {
    if (pushToken) this.leftOut.set(tx, hashPushTokens(pushToken));
  }

  /** Tells which groups a user invited. */
  async publishUsedGroups(tx: Transaction, userId: number, groupIds: readonly number[] = []): Promise<void> {
    if (groupIds.length > 0) await tx.publish(calendarEvents['groups.used'], { userId, groupIds });
  }

  /**
   * Writes everything at once; the user becomes the one who changed it, undefined leaves that as it was, and so
   * do changes of nothing but alarms. The master of a new series gets its own id as series id when it is 0.
   * @throws QUOTA-0003
   */
  async writeChanges(
    tx: Transaction,
    userId: number | undefined,
    changes: AppointmentChanges,
  ): Promise<WrittenAppointments> {
    const { created = [], changed = [], removed = [], maxAppointments = UNLIMITED } = changes;
    const { stamp, id } = await this.appointments.nextStamp(tx, this.clock.now(), created.length);
    const now = this.clock.now();
    const numbered = created.map((appointment, index) => ({
      ...startAlarms(appointment, now),
      id: id + index,
      seriesId: appointment.seriesId === 0 ? id + index : appointment.seriesId,
      createdBy: userId ?? appointment.createdBy,
      modifiedBy: userId ?? appointment.modifiedBy,
      created: stamp,
      lastModified: stamp,
    }));
    const stored = await this.copies.requestCopies(tx, numbered, changes);
    const updated = changed.map(({ before, after }) => {
      const started = startAlarms(after, now);
      return {
        before,
        after: isAlarmChange(before, started)
          ? stampAlarmChange(before, started, stamp)
          : { ...started, modifiedBy: userId ?? after.modifiedBy, lastModified: stamp },
      };
    });
    if (removed.length > 0) this.appointments.remove(tx, removed, stamp);
    const crossing = listCrossing(updated);
    if (crossing.length > 0) this.appointments.vacatePlaces(tx, crossing);
    if (updated.length > 0) {
      this.appointments.update(
        tx,
        updated.map(({ after }) => after),
      );
      this.appointments.insertTombstones(tx, updated.flatMap(listLeftFolders), stamp);
    }
    if (stored.length > 0) this.appointments.insert(tx, stored);
    const touched = await this.touchSeries(tx, listTouched(changes), { stamp, userId });
    await this.reminders.planReminders(tx, { created: stored, changed: updated }, stamp);
    const origin = { by: userId, stamp, notTold: this.leftOut.get(tx) };
    const publish = async (
      event: Parameters<Transaction['publish']>[0],
      appointment: Appointment,
      before?: Appointment,
    ): Promise<void> => {
      const turn = pauseAfterTurn();
      if (turn) await turn;
      await tx.publish(event, toAppointmentChange(appointment, before, origin));
    };
    for (const appointment of removed) await publish(calendarEvents['appointment.deleted'], appointment);
    for (const { before, after } of updated) await publish(calendarEvents['appointment.changed'], after, before);
    for (const appointment of stored) await publish(calendarEvents['appointment.created'], appointment);
    await this.quota.requireRoomFor(tx, stored.length, maxAppointments);
    return { stamp, created: stored, changed: updated, touched };
  }

  private async touchSeries(
    tx: Transaction,
    ids: readonly number[],
    { stamp, userId }: { readonly stamp: number; readonly userId: number | undefined },
  ): Promise<ChangedAppointment[]> {
    if (ids.length === 0) return [];
    const series = await this.appointments.listByIds(tx, ids);
    this.appointments.touch(tx, ids, stamp, userId);
    return series.map((before) => ({
      before,
      after: { ...before, modifiedBy: userId ?? before.modifiedBy, lastModified: stamp },
    }));
  }
}

/** Ids of series that do not change themselves, but one of their exceptions does. */
function listTouched({ changed = [], removed = [] }: AppointmentChanges): number[] {
  const written = new Set([...changed.map(({ after }) => after.id), ...removed.map(({ id }) => id)]);
  const touched = changed.flatMap(({ before, after }) =>
    isException(after) &&
    before.seriesId === after.seriesId &&
    !written.has(after.seriesId!) &&
    !isAlarmChange(before, after)
      ? [after.seriesId!]
      : [],
  );
  return [...new Set(touched)];
}

/** Folders in which an appointment is no longer seen after a change. */
function listLeftFolders({ before, after }: ChangedAppointment): { folderId: number; appointment: Appointment }[] {
  const still = new Set(listFolders(after));
  return listFolders(before)
    .filter((folderId) => !still.has(folderId))
    .map((folderId) => ({ folderId, appointment: before }));
}

/** Ids of exceptions that go to other places in their series, where one takes the place that another leaves. */
function listCrossing(changed: readonly ChangedAppointment[]): number[] {
  const moving = changed.filter(
    ({ before, after }) => before.recurrenceLocalMs !== null && before.recurrenceLocalMs !== after.recurrenceLocalMs,
  );
  const left = new Set(moving.map(({ before }) => before.recurrenceLocalMs));
  return moving.some(({ after }) => left.has(after.recurrenceLocalMs)) ? moving.map(({ after }) => after.id) : [];
}
