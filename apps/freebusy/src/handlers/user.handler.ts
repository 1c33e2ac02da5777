import { freeBusyRest, FreeBusyRequestErrors, jsonText, type CallOf, type Handler } from '@groupware/contracts';
import { Clock, Handles } from '@groupware/service-kit';
import { Contexts } from '../contexts';
import { rangeOf } from '../domain/boundary';
import { FreeBusy } from '../free-busy';
import { resultText } from '../result-text';

/** `/preliminary/chronos/v1/freebusy/{context}/{user}`: when a user is busy, for cooperating services. */
@Handles(freeBusyRest.user)
export class UserHandler implements Handler<typeof freeBusyRest.user> {
  constructor(
    private readonly freeBusy: FreeBusy,
    private readonly contexts: Contexts,
    private readonly clock: Clock,
  ) {}

  async handle({ query }: CallOf<typeof freeBusyRest.user>) {
    const { context, user } = query;
    const range = rangeOf(query.from, query.until, this.clock.now());
    const tenant = await this.contexts.tenant(context);
    const [times] = await this.freeBusy.times(tenant, {
      attendees: [{ text: String(user), id: user }],
      range,
      merge: query.merge ?? true,
    });
    // Resources and groups have ids too.
    if (times!.attendee.cuType !== 'INDIVIDUAL') throw FreeBusyRequestErrors.userNotFound(user, context);
    return jsonText(resultText(times!));
  }
}
