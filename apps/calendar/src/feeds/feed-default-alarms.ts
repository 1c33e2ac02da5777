import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { Reader, Transaction } from '@groupware/persistence';
import { AlarmClock, Clock } from '@groupware/service-kit';
import type { DefaultAlarms } from '../events/default-alarms';
import { AppointmentRepository } from '../persistence/appointment.repository';
import { FeedEventRepository } from './feed-event.repository';
import { type Feed, FeedRepository, type StoredDefaultAlarms } from './feed.repository';

/** Alarms that users set for all events of a calendar elsewhere. Those that they set for single events come before them. */
@Injectable()
export class FeedDefaultAlarms {
  constructor(
    private readonly feeds: FeedRepository,
    private readonly events: FeedEventRepository,
    private readonly appointments: AppointmentRepository,
    private readonly clock: Clock,
    private readonly alarms: AlarmClock,
  ) {}

  /** Alarms as they are stored; null for none. */
  toStored({ date, dateTime }: DefaultAlarms): StoredDefaultAlarms | null {
    return date.length + dateTime.length === 0 ? null : { date, dateTime, sinceMs: this.clock.now() };
  }

  /** The calendar of the birthdays of a user. */
  async findBirthdays(db: Reader, userId: number): Promise<Feed | undefined> {
    const folderId = await this.feeds.findBirthdays(db, userId);
    return folderId === undefined ? undefined : (await this.feeds.listByFolders(db, [folderId]))[0];
  }

  /** Replaces the alarms; the events to which they belong change with them. */
  async setDefaultAlarms(tx: Transaction, feed: Feed, alarms: DefaultAlarms): Promise<void> {
    const { folderId, defaultAlarms } = feed;
    const { date, dateTime } = defaultAlarms ?? { date: [], dateTime: [] };
    if (isDeepStrictEqual(toPlain({ date, dateTime }), toPlain(alarms))) return;
    const [stored, now] = [this.toStored(alarms), this.clock.now()];
    await this.feeds.updateDefaultAlarms(tx, folderId, stored);
    if (stored) await this.feeds.followBirthdays(tx, folderId, now);
    const { stamp } = await this.appointments.nextStamp(tx, now, 0);
    await this.events.applyDefaultAlarms(tx, folderId, { stamp, now, hasAlarms: stored !== null });
    if (stored) tx.afterCommit(() => this.alarms.scheduleBy(now));
  }
}

/** Values as they are stored: instances of models are no plain objects. */
const toPlain = (alarms: DefaultAlarms): unknown => JSON.parse(JSON.stringify(alarms));
