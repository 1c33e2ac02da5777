import {
  chronosChanges,
  EventData,
  findFormJson,
  parseFormJson,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { EventCreator } from '../events/event-creator';
import { EventFiles } from '../events/event-files';
import { EventResults } from '../events/event-results';
import { toSchedulingScope } from '../scheduling/outgoing/scheduling-outbox';

/** `POST chronos?action=new`: an event with its files. */
@Handles(chronosChanges.newWithFiles)
export class ChronosNewWithFilesHandler implements Handler<typeof chronosChanges.newWithFiles> {
  constructor(
    private readonly creator: EventCreator,
    private readonly files: EventFiles,
    private readonly results: EventResults,
  ) {}

  async handle({ principal, query, body, files }: CallOf<typeof chronosChanges.newWithFiles>) {
    const request = await this.results.prepare(principal, query);
    const event = parseFormJson(EventData, findFormJson(body), 'json_0');
    const added = this.files.matchFiles(event, files);
    const creation = await this.creator.createEvent(principal, query, event, request, added.length > 0);
    const scheduling = { scope: toSchedulingScope(query) };
    return this.results.toReply(request, await this.files.attachToNew(principal, creation, added, scheduling));
  }
}
