import { TOPICS, type AppointmentChange, type CalendarNews, type EventMessage } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { Outlet } from './outlet';
import { PushConfig } from './push.config';

/** Tells users about their calendars. */
@Injectable()
export class CalendarTeller {
  constructor(
    private readonly outlet: Outlet,
    private readonly clock: Clock,
    private readonly config: PushConfig,
  ) {}

  /** An appointment changed: everybody who takes part, or did, is told. */
  async appointment(
    tx: Transaction,
    { payload, occurredAt }: EventMessage<AppointmentChange>,
    change: CalendarNews['change'],
  ): Promise<void> {
    if (this.isOld(occurredAt)) return;
    const data: CalendarNews = {
      folders: payload.folders.map(String),
      id: String(payload.id),
      change,
      ...(payload.by === undefined ? {} : { by: payload.by }),
    };
    await this.outlet.tell(tx, { users: payload.users, topic: TOPICS.calendarUpdates, data });
  }

  /** Many appointments of a folder changed. */
  async folder(tx: Transaction, occurredAt: number, folderId: number, users: readonly number[]): Promise<void> {
    if (this.isOld(occurredAt)) return;
    const data: CalendarNews = { folders: [String(folderId)], change: 'folder' };
    await this.outlet.tell(tx, { users, topic: TOPICS.calendarUpdates, data });
  }

  /** After an outage, or when the module is new: nobody keeps notices of then. */
  isOld(occurredAt: number): boolean {
    return occurredAt < this.clock.now() - this.config.retentionMs;
  }
}
