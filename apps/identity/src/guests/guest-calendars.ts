import { Injectable } from '@nestjs/common';
import {
  FileReply,
  guestCalendars,
  guestTasks,
  SHARE_ICAL_FUTURE,
  SHARE_ICAL_PAST,
  type EdgeRequest,
  type ShareInterval,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Clock, Properties } from '@groupware/service-kit';
import type { ResolvedGuest } from './guest-access';
import type { SharedFolder } from './guest-folders';

const DAY = 86_400_000;
const LENGTHS: Readonly<Record<Exclude<ShareInterval, 'all'>, number>> = {
  two_weeks: 14 * DAY,
  one_month: 31 * DAY,
  six_months: 183 * DAY,
  one_year: 366 * DAY,
};

/** Programs that subscribe to calendars without saying what they accept. No browser has one of these names. */
const CALENDAR_PROGRAMS =
  /\b(CalendarAgent|dataaccessd|remindd|iCal|Thunderbird|Lightning|Google-Calendar-Importer|DAVx5|ICSx5|Evolution|Outlook|KOrganizer|GNOME-Calendar)\b/;

/** Calendars and folders of tasks of guests as iCalendar files, without a session. */
@Injectable()
export class GuestCalendars {
  constructor(
    private readonly caller: Caller,
    private readonly properties: Properties,
    private readonly clock: Clock,
  ) {}

  /** Whether a request for a place wants a file instead of the web client. */
  isWanted({ module }: SharedFolder, { headers, userAgent }: EdgeRequest): boolean {
    if (module !== 'calendar' && module !== 'tasks') return false;
    return /\btext\/(calendar|ical)\b/i.test(headers['accept'] ?? '') || CALENDAR_PROGRAMS.test(userAgent);
  }

  /** Gets a folder as a file; undefined when it is no longer shared with the guest. */
  async findFile(
    { contextId, guest }: ResolvedGuest,
    { module, folder }: SharedFolder,
  ): Promise<FileReply | undefined> {
    const principal = { kind: 'internal', service: 'identity', contextId } as const;
    const now = this.clock.now();
    const [past, future] = [this.lengthOf(SHARE_ICAL_PAST), this.lengthOf(SHARE_ICAL_FUTURE)];
    const query = {
      ...{ folder, guest: guest.id },
      ...(past === undefined ? {} : { from: now - past }),
      ...(future === undefined ? {} : { until: now + future }),
    };
    const found =
      module === 'tasks'
        ? await this.caller.call(guestTasks.writeTasks, { principal, query })
        : await this.caller.call(guestCalendars.writeCalendar, { principal, query });
    return found ? new FileReply({ ...found, temporary: true }) : undefined;
  }

  private lengthOf(property: typeof SHARE_ICAL_PAST): number | undefined {
    const interval = this.properties.serverValue(property);
    return interval === 'all' ? undefined : LENGTHS[interval];
  }
}
