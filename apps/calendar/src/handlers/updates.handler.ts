import {
  CalendarErrors,
  calendarViews,
  jsonText,
  MAX_UPDATES,
  reply,
  RequestErrors,
  type CallOf,
  type DeletedAppointment,
  type Handler,
  APPOINTMENT_RIGHTS,
  waiveCheck,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import type { ZoneOffsets } from '@groupware/recurrence';
import { Handles, Properties } from '@groupware/service-kit';
import { AppointmentView, type View } from '../views/appointment-view';
import { dayOf } from '../domain/local-days';
import { type Range, toRange } from '../domain/range';
import { resolveRequestZone } from '../domain/request-zone';
import { parseCalendarFolderId } from '../folders/folder-access';

type Query = CallOf<typeof calendarViews.updates>['query'];

/**
 * `updates`: what changed since a timestamp, in one statement and so of one moment. Stamps are given in the order of
 * commits, so nothing that is committed later has a stamp below the one that is answered. Guests of a folder whose rights
 * changed are told everything anew, what they may no longer read among the deletions.
 */
@Handles(calendarViews.updates)
export class UpdatesHandler implements Handler<typeof calendarViews.updates> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly views: AppointmentView,
    private readonly properties: Properties,
  ) {}

  async handle({ principal, query }: CallOf<typeof calendarViews.updates>) {
    const ignored = new Set((query.ignore ?? '').split(',').map((word) => word.trim()));
    const zone = resolveRequestZone(query.timezone, principal.timeZone);
    const since = Math.min(Math.max(query.timestamp, 0), Number.MAX_SAFE_INTEGER);
    if (ignored.has('deleted') && ignored.has('changed')) {
      waiveCheck(APPOINTMENT_RIGHTS.read, 'the client ignores everything');
      return reply<unknown[][]>([], { timestamp: since });
    }
    if (query.folder === undefined && !ignored.has('deleted')) throw RequestErrors.missingParameter('folder');
    const range = rangeOf(query, zone);
    const folderId = query.folder === undefined ? undefined : parseCalendarFolderId(query.folder);
    const maxRows = await this.properties.get(MAX_UPDATES, { contextId: principal.contextId });

    const view = await this.database.read(principal, (db) =>
      this.views.read(db, principal, {
        shape: {
          folder: folderId !== undefined,
          times: range ? 'overlap' : 'any',
          filter: 'changed',
          anonymous: query.showPrivate,
          deleted: !ignored.has('deleted'),
        },
        folderId,
        range,
        since,
        zone,
        columns: query.columns,
        masters: query.recurrence_master ?? false,
        maxRows: maxRows + 1,
      }),
    );
    if (view.count > maxRows || view.found.deletedCount > maxRows) throw CalendarErrors.tooMany(maxRows);
    const { forgotten, deletedNewest, access } = view.found;
    if (!ignored.has('deleted') && since > 0 && since < forgotten)
      throw CalendarErrors.resyncNeeded(folderId, since, forgotten);
    const gone = ignored.has('deleted') ? [] : listDeletions(view, String(folderId), since);
    const deletions = JSON.stringify(gone).slice(1, -1);
    return reply<unknown[][]>(ignored.has('changed') ? jsonText(`[${deletions}]`) : await view.json(deletions), {
      timestamp: Math.max(since, view.newest, deletedNewest, access),
    });
  }
}

/** The range of the request; both bounds are needed when one is given, and without a folder (SVL-0002). */
function rangeOf({ start, end, folder }: Query, zone: ZoneOffsets): Range | undefined {
  if (start === undefined && end === undefined && folder !== undefined) return undefined;
  if (start === undefined) throw RequestErrors.missingParameter('start');
  if (end === undefined) throw RequestErrors.missingParameter('end');
  return toRange(start, end, zone, 'overlap');
}

function listDeletions(view: View, folder: string, since: number): DeletedAppointment[] {
  const deleted = view.found.deleted ?? [];
  return [
    ...deleted.map(([id, seriesId, local, position]) => ({
      id: String(id),
      folder,
      folder_id: folder,
      ...(seriesId !== null && { recurrence_id: seriesId }),
      ...(position !== null && { recurrence_position: position }),
      ...(local !== null && { recurrence_date_position: dayOf(local) }),
    })),
    // A series that was known before and has nothing left in the range.
    ...view.outside
      .filter(({ created }) => created <= since)
      .map(({ id }) => ({ id: String(id), folder, folder_id: folder, recurrence_id: id })),
  ];
}
