import { chronosChanges, reply, type CalendarResult, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { EventResults } from '../events/event-results';
import { EventUpdater } from '../events/event-updater';

/** `chronos?action=update`: changes an event, a series, an occurrence, or an occurrence and all that follow. */
@Handles(chronosChanges.update)
export class ChronosUpdateHandler implements Handler<typeof chronosChanges.update> {
  constructor(
    private readonly updater: EventUpdater,
    private readonly results: EventResults,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof chronosChanges.update>) {
    const request = await this.results.prepare(principal, query);
    const thisAndFuture = query.recurrenceRange !== undefined;
    const update = { query, body: body.event ?? body, thisAndFuture };
    const outcome = await this.updater.updateEvent(principal, update, request);
    if ('conflicts' in outcome)
      return reply<CalendarResult>(await this.results.toConflicts(request, outcome.conflicts), {});
    const { changes } = outcome;
    return reply<CalendarResult>(await this.results.toResult(request, changes), { timestamp: changes.stamp });
  }
}
