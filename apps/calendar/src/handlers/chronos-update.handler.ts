import { chronosChanges, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { EventFiles } from '../events/event-files';
import { EventResults } from '../events/event-results';
import { EventUpdater } from '../events/event-updater';
import { toSchedulingScope } from '../scheduling/outgoing/scheduling-outbox';

/** `chronos?action=update`: changes an event, a series, an occurrence, or an occurrence and all that follow. */
@Handles(chronosChanges.update)
export class ChronosUpdateHandler implements Handler<typeof chronosChanges.update> {
  constructor(
    private readonly updater: EventUpdater,
    private readonly files: EventFiles,
    private readonly results: EventResults,
  ) {}

  async handle({ principal, query, body: { event, ...bare } }: CallOf<typeof chronosChanges.update>) {
    const request = await this.results.prepare(principal, query);
    const body = event ?? bare;
    this.files.matchFiles(body, []);
    const { recurrenceRange, usedGroups } = query;
    const update = { query, body, thisAndFuture: recurrenceRange !== undefined, comment: bare.comment, usedGroups };
    const outcome = await this.updater.updateEvent(principal, update, request);
    const scheduling = { scope: toSchedulingScope(query), comment: bare.comment };
    return this.results.toReply(request, await this.files.storeFiles(principal, outcome, body, [], scheduling));
  }
}
