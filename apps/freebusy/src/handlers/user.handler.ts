import { freeBusyRest, FreeBusyRequestErrors, type CallOf, type Handler } from '@groupware/contracts';
import { Clock, Handles, TextPieces } from '@groupware/service-kit';
import { Contexts } from '../lookup/contexts';
import { parseRange } from '../domain/boundary';
import { FreeBusy } from '../lookup/free-busy';
import { writeResultJson } from '../lookup/result-json';

/** `/preliminary/chronos/v1/freebusy/{context}/{user}`: busy times of a user, for cooperating services. */
@Handles(freeBusyRest.user)
export class UserHandler implements Handler<typeof freeBusyRest.user> {
  constructor(
    private readonly freeBusy: FreeBusy,
    private readonly contexts: Contexts,
    private readonly clock: Clock,
  ) {}

  async handle({ query }: CallOf<typeof freeBusyRest.user>) {
    const { context, user } = query;
    const range = parseRange(query.from, query.until, this.clock.now());
    const tenant = await this.contexts.requireTenant(context);
    const [times] = await this.freeBusy.getTimes(tenant, {
      attendees: [{ text: String(user), id: user }],
      range,
      merge: query.merge ?? true,
    });
    // Resources and groups have ids too.
    if (times!.attendee.cuType !== 'INDIVIDUAL') throw FreeBusyRequestErrors.userNotFound(user, context);
    const json = new TextPieces();
    await writeResultJson(json, times!);
    return json.toJson();
  }
}
