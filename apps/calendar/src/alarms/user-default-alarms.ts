import { Injectable } from '@nestjs/common';
import { CatalogueError, userConfig, type UserPrincipal } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { describeError, Logger } from '@groupware/service-kit';
import { type DefaultAlarms, parseDefaultAlarms } from '../events/default-alarms';

const log = Logger.for('calendar.alarms');
/** Settings of clients that have them. */
const PATHS = {
  date: 'modules/calendar/chronos/defaultAlarmDate',
  dateTime: 'modules/calendar/chronos/defaultAlarmDateTime',
} as const;

/** Alarms that users want of new events, as their clients keep them. */
@Injectable()
export class UserDefaultAlarms {
  constructor(private readonly caller: Caller) {}

  /** Outside of transactions. None while settings do not answer, and for what clients keep that is no alarm. */
  async load({ contextId, userId }: UserPrincipal): Promise<DefaultAlarms> {
    try {
      const values = await this.caller.call(userConfig.ofUsers, {
        principal: { kind: 'internal', service: 'calendar', contextId },
        query: { paths: Object.values(PATHS), ids: [userId] },
      });
      const read = (path: string) => parseDefaultAlarms(values[path]?.[userId]);
      return { date: read(PATHS.date), dateTime: read(PATHS.dateTime) };
    } catch (error) {
      if (!(error instanceof CatalogueError)) throw error;
      log.info({ context: contextId, user: userId, error: describeError(error) }, 'an event without default alarms');
      return { date: [], dateTime: [] };
    }
  }
}
