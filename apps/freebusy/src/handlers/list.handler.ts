import {
  FREE_BUSY_RIGHTS,
  waiveCheck,
  errorObject,
  freebusy,
  MAX_FREE_BUSY_ATTENDEES,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { Handles, Properties, TextPieces } from '@groupware/service-kit';
import { parseAttendees } from '../domain/attendee-input';
import { createRange } from '../domain/boundary';
import { toLegacyPeriod } from '../domain/legacy-period';
import { forEachPeriod } from '../domain/period';
import { FreeBusy } from '../lookup/free-busy';

/** `freebusy?action=list`: busy times of several attendees, for older clients. */
@Handles(freebusy.list)
export class ListHandler implements Handler<typeof freebusy.list> {
  constructor(
    private readonly freeBusy: FreeBusy,
    private readonly properties: Properties,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof freebusy.list>) {
    const range = createRange(query.from, query.until);
    if (body.length === 0) {
      waiveCheck(FREE_BUSY_RIGHTS.see, 'nobody is named');
      return {};
    }
    const times = await this.freeBusy.getTimes(principal, {
      attendees: parseAttendees(body, this.properties.serverValue(MAX_FREE_BUSY_ATTENDEES)),
      range,
      merge: query.merged ?? false,
      requester: principal.userId,
      identify: !query.merged,
    });
    const details = await this.freeBusy.loadDetails(principal, times);
    const byName = new Map(times.map((each) => [each.reference.text, each]));
    const json = new TextPieces();
    let opening = '';
    json.add('{');
    for (const [name, { periods = [], warning }] of byName) {
      json.add(`${opening}${JSON.stringify(name)}:{"data":[`);
      opening = ',';
      await forEachPeriod(periods.length, (index) =>
        json.add(`${index === 0 ? '' : ','}${JSON.stringify(toLegacyPeriod(periods[index]!, details))}`),
      );
      const warnings = warning ? `,"warnings":${JSON.stringify([errorObject(warning, principal.locale)])}` : '';
      json.add(`]${warnings}}`);
    }
    json.add('}');
    return json.toJson();
  }
}
