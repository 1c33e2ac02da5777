import { chronosChanges, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { EventCreator } from '../events/event-creator';
import { EventFiles } from '../events/event-files';
import { EventResults } from '../events/event-results';
import { toSchedulingScope } from '../scheduling/outgoing/scheduling-outbox';

/** `chronos?action=new`: an event or a series, unless something stands in the way. */
@Handles(chronosChanges.new)
export class ChronosNewHandler implements Handler<typeof chronosChanges.new> {
  constructor(
    private readonly creator: EventCreator,
    private readonly files: EventFiles,
    private readonly results: EventResults,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof chronosChanges.new>) {
    const request = await this.results.prepare(principal, query);
    this.files.matchFiles(body, []);
    const creation = await this.creator.createEvent(principal, query, body, request);
    const scheduling = { scope: toSchedulingScope(query) };
    return this.results.toReply(request, await this.files.attachToNew(principal, creation, [], scheduling));
  }
}
