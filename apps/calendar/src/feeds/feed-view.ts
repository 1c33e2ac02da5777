import { Injectable } from '@nestjs/common';
import { APPOINTMENT_RIGHTS, FolderErrors, recordCheck, sortOrder, type UserPrincipal } from '@groupware/contracts';
import type { CalendarEvent } from '@groupware/icalendar';
import type { Reader } from '@groupware/persistence';
import { ExpansionBudget } from '@groupware/recurrence';
import { CalendarConfig } from '../calendar.config';
import type { Appointment } from '../domain/appointment';
import { sortedRows } from '../domain/encoded-rows';
import { isInRange } from '../domain/range';
import { expandEvents, type ShownEvent } from '../events/event-expansion';
import { EventFolders } from '../events/event-folders';
import { type AccessedFolder, FolderAccess } from '../folders/folder-access';
import { toCalendarEvent } from '../icalendar/to-event';
import { expandedColumns } from '../persistence/appointment.columns';
import { appointmentRow } from '../views/appointment-row';
import { sortColumn, type ViewRequest } from '../views/appointment-view';
import { FeedEventRepository } from './feed-event.repository';

/** A question for the rows of a calendar elsewhere. */
export type FeedViewRequest = Pick<ViewRequest, 'zone' | 'columns' | 'sort' | 'order' | 'masters' | 'maxRows'> & {
  readonly range: NonNullable<ViewRequest['range']>;
};

/** Calendars elsewhere as clients of appointments and files of iCalendar show them. */
@Injectable()
export class FeedView {
  constructor(
    private readonly access: FolderAccess,
    private readonly folders: EventFolders,
    private readonly events: FeedEventRepository,
    private readonly config: CalendarConfig,
  ) {}

  /** The folder of a calendar elsewhere of the user; FLD-0008 when he has no such. */
  async requireFolder(db: Reader, user: UserPrincipal, id: number): Promise<AccessedFolder> {
    recordCheck(APPOINTMENT_RIGHTS.read);
    const folder = await this.access.findFeed(db, user, id);
    if (!folder) throw FolderErrors.notFound(id);
    return folder;
  }

  /** Rows as `all` answers them, at most one more than asked for. FLD-0008; CAL-5072 for series that take too long. */
  async listRows(
    db: Reader,
    user: UserPrincipal,
    folderId: number,
    { range, zone, columns, masters, maxRows, ...ordering }: FeedViewRequest,
  ): Promise<{ readonly rows: string; readonly count: number; readonly newest: number }> {
    const { calendarUser } = await this.requireFolder(db, user, folderId);
    const found = await this.folders.listFeedEvents(db, user, folderId, { range, maxRows });
    const budget = new ExpansionBudget(this.config.maxExpansionSteps);
    const timesOf = ({ event, occurrence }: ShownEvent): Pick<Appointment, 'startMs' | 'endMs'> => occurrence ?? event;
    const startOf = (shown: ShownEvent): number => {
      const { startMs } = timesOf(shown);
      return shown.event.floating ? zone.localToInstant(startMs) : startMs;
    };
    const shown = (await expandEvents(found, { range, expand: !masters, limit: maxRows, budget }))
      .filter((each) => masters || isInRange(range, timesOf(each).startMs, timesOf(each).endMs, each.event.floating))
      .sort((a, b) => startOf(a) - startOf(b) || a.event.id - b.event.id);
    const asked = expandedColumns(columns);
    const order = sortOrder(ordering);
    const sort = order && sortColumn(order);
    const all = sort && !asked.includes(sort) ? [...asked, sort] : asked;
    const write = appointmentRow(all);
    const rows = JSON.stringify(
      shown.map(({ event, occurrence }) =>
        write(event, { folderId, calendarUser, zone, occurrence, anonymous: false }),
      ),
    );
    return {
      rows: sort ? sortedRows(rows, all, asked.length, sort, order.descending) : rows,
      count: shown.length,
      newest: Math.max(0, ...found.map(({ lastModified }) => lastModified)),
    };
  }

  /** An event with the exceptions of its series; undefined when it is not there. */
  async findEvent(
    db: Reader,
    folderId: number,
    id: number,
  ): Promise<{ readonly appointment: Appointment; readonly exceptions: readonly Appointment[] } | undefined> {
    const [appointment] = await this.events.listByIds(db, [folderId], [id]);
    if (!appointment) return undefined;
    const hasExceptions = appointment.seriesId === id && appointment.changes?.length;
    return { appointment, exceptions: hasExceptions ? await this.events.listExceptions(db, [folderId], [id]) : [] };
  }

  /** Everything in a folder, as a file has it; no more than a calendar may hold. */
  async *streamFolder(db: Reader, folder: AccessedFolder): AsyncGenerator<CalendarEvent> {
    const found = await this.events.listEvents(db, folder.id, { maxRows: this.config.importMaxItems });
    const byId = new Map(found.map((each) => [each.id, each]));
    for (const each of found)
      yield toCalendarEvent(each, folder.calendarUser, each.seriesId === null ? undefined : byId.get(each.seriesId));
  }
}
