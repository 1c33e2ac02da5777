import {
  AppointmentErrors,
  CalendarErrors,
  calendarViews,
  jsonText,
  MAX_RESULTS,
  MIN_SEARCH_LENGTH,
  reply,
  RequestErrors,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles, Properties } from '@groupware/service-kit';
import { AppointmentView } from '../views/appointment-view';
import { resolveRequestZone } from '../domain/request-zone';
import { toLikePattern, countLiterals, toLikePrefix } from '../domain/search-pattern';
import { parseCalendarFolderId } from '../folders/folder-access';

/** `search`: appointments by title. */
@Handles(calendarViews.search)
export class SearchHandler implements Handler<typeof calendarViews.search> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly views: AppointmentView,
    private readonly properties: Properties,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof calendarViews.search>) {
    const [maxRows, shortest] = await Promise.all([
      this.properties.get(MAX_RESULTS, principal),
      this.properties.get(MIN_SEARCH_LENGTH, principal),
    ]);
    const folderId = body.folder == null ? undefined : parseCalendarFolderId(body.folder);
    const pattern = patternOf(body.pattern, body.startletter, shortest);
    const view = await this.database.read(principal, (db) =>
      this.views.read(db, principal, {
        shape: { folder: folderId !== undefined, times: 'any', filter: 'title' },
        folderId,
        pattern,
        zone: resolveRequestZone(query.timezone, principal.timeZone),
        columns: query.columns,
        masters: true,
        maxRows: maxRows + 1,
      }),
    );
    if (view.count > maxRows) throw CalendarErrors.tooMany(maxRows);
    return reply<unknown[][]>(jsonText(await view.text()), {
      timestamp: view.newest > 0 ? view.newest : view.found.stamp,
    });
  }
}

function patternOf(pattern: string | null | undefined, start: string | null | undefined, shortest: number): string {
  if (pattern == null && start == null) throw RequestErrors.missingParameter('pattern');
  if (pattern == null) return toLikePrefix(start!);
  if (countLiterals(pattern) < shortest) throw AppointmentErrors.patternTooShort(shortest);
  return toLikePattern(pattern);
}
