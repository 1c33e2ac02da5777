import {
  ALL_FOLDERS,
  ALL_RANGE,
  calendar,
  CalendarErrors,
  findFeedFolder,
  jsonText,
  MAX_RESULTS,
  reply,
} from '@groupware/contracts';
import type { CallOf, Handler } from '@groupware/contracts';
import { SHARE_FOLDERS } from '@groupware/folders';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles, Properties } from '@groupware/service-kit';
import { BirthdayCalendars } from '../feeds/birthday-calendars';
import { FeedView } from '../feeds/feed-view';
import { AppointmentView } from '../views/appointment-view';
import { toRange } from '../domain/range';
import { resolveRequestZone } from '../domain/request-zone';
import { parseCalendarFolderId } from '../folders/folder-access';

/** `all`: the appointments of a range. */
@Handles(calendar.all)
export class AllHandler implements Handler<typeof calendar.all> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly views: AppointmentView,
    private readonly properties: Properties,
    private readonly feeds: FeedView,
    private readonly birthdays: BirthdayCalendars,
  ) {}

  async handle({ principal, query }: CallOf<typeof calendar.all>) {
    const [mode, maxRows, folders] = await Promise.all([
      query.range ?? this.properties.get(ALL_RANGE, principal),
      this.properties.get(MAX_RESULTS, principal),
      this.properties.get(ALL_FOLDERS, principal),
    ]);
    const zone = resolveRequestZone(query.timezone, principal.timeZone);
    const times = mode as 'contained' | 'overlap';
    const feed = query.folder === undefined ? undefined : findFeedFolder(query.folder);
    if (feed !== undefined) {
      await this.birthdays.refreshFolders(principal, [feed]);
      const range = toRange(query.start, query.end, zone, times);
      const { columns, sort, order, recurrence_master: masters = false } = query;
      const request = { range, zone, columns, sort, order, masters, maxRows: maxRows + 1 };
      const { rows, count, newest } = await this.database.read(principal, (db) =>
        this.feeds.listRows(db, principal, feed, request),
      );
      if (count > maxRows) throw CalendarErrors.tooMany(maxRows);
      return reply<unknown[][]>(jsonText(rows), { timestamp: newest });
    }
    const folderId = query.folder === undefined ? undefined : parseCalendarFolderId(query.folder);
    const isWide = folderId === undefined && folders === 'visible';
    const others = principal.capabilities.includes(SHARE_FOLDERS) ? 'shared' : 'public';
    const view = await this.database.read(principal, (db) =>
      this.views.read(db, principal, {
        shape: {
          folder: folderId !== undefined,
          others: isWide ? others : undefined,
          times,
          anonymous: query.showPrivate,
        },
        folderId,
        range: toRange(query.start, query.end, zone, times),
        zone,
        columns: query.columns,
        sort: query.sort,
        order: query.order,
        masters: query.recurrence_master ?? false,
        maxRows: maxRows + 1,
      }),
    );
    if (view.count > maxRows) throw CalendarErrors.tooMany(maxRows);
    return reply<unknown[][]>(jsonText(await view.text()), {
      timestamp: view.newest > 0 ? view.newest : view.found.stamp,
    });
  }
}
