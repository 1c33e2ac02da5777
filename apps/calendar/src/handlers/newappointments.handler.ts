import {
  calendarViews,
  jsonText,
  MAX_RESULTS,
  parseRowLimit,
  reply,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles, Properties } from '@groupware/service-kit';
import { AppointmentView } from '../views/appointment-view';
import { toRange } from '../domain/range';
import { resolveRequestZone } from '../domain/request-zone';

/** `newappointments`: the next appointments of the user. */
@Handles(calendarViews.newappointments)
export class NewappointmentsHandler implements Handler<typeof calendarViews.newappointments> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly views: AppointmentView,
    private readonly properties: Properties,
  ) {}

  async handle({ principal, query }: CallOf<typeof calendarViews.newappointments>) {
    const { from, to } = parseRowLimit(query.limit);
    const limit = Math.min(to, await this.properties.get(MAX_RESULTS, principal));
    const zone = resolveRequestZone(query.timezone, principal.timeZone);
    const view = await this.database.read(principal, (db) =>
      this.views.read(db, principal, {
        shape: { folder: false, times: 'overlap', earliest: true },
        range: toRange(query.start, query.end, zone, 'overlap'),
        zone,
        columns: query.columns,
        sort: query.sort,
        order: query.order,
        masters: false,
        maxRows: limit,
      }),
    );
    // The earliest ones are chosen first, then sorted as asked.
    return reply<unknown[][]>(jsonText(await view.text(from, limit)), {
      timestamp: view.newest > 0 ? view.newest : view.found.stamp,
    });
  }
}
