import {
  chronosChanges,
  EventUpdateBody,
  findFormJson,
  parseFormJson,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { EventFiles } from '../events/event-files';
import { EventResults } from '../events/event-results';
import { EventUpdater } from '../events/event-updater';
import { toSchedulingScope } from '../scheduling/outgoing/scheduling-outbox';

/** `POST chronos?action=update`: a change of an event with new files. */
@Handles(chronosChanges.updateWithFiles)
export class ChronosUpdateWithFilesHandler implements Handler<typeof chronosChanges.updateWithFiles> {
  constructor(
    private readonly updater: EventUpdater,
    private readonly files: EventFiles,
    private readonly results: EventResults,
  ) {}

  async handle({ principal, query, body: form, files }: CallOf<typeof chronosChanges.updateWithFiles>) {
    const request = await this.results.prepare(principal, query);
    const { event, ...bare } = parseFormJson(EventUpdateBody, findFormJson(form), 'json_0');
    const body = event ?? bare;
    const added = this.files.matchFiles(body, files);
    const { recurrenceRange, usedGroups } = query;
    const update = { query, body, thisAndFuture: recurrenceRange !== undefined, comment: bare.comment, usedGroups };
    const outcome = await this.updater.updateEvent(principal, update, request);
    const scheduling = { scope: toSchedulingScope(query), comment: bare.comment };
    return this.results.toReply(request, await this.files.storeFiles(principal, outcome, body, added, scheduling));
  }
}
