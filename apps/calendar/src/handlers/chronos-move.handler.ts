import {
  CalendarErrors,
  chronosChanges,
  reply,
  type CalendarResult,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { EventResults, type EventChanges } from '../events/event-results';
import { EventUpdater } from '../events/event-updater';
import { FeedRefusal } from '../feeds/feed-refusal';
import { parseEventFolder } from '../folders/folder-access';

/** `chronos?action=move`: an event goes to another calendar. */
@Handles(chronosChanges.move)
export class ChronosMoveHandler implements Handler<typeof chronosChanges.move> {
  constructor(
    private readonly updater: EventUpdater,
    private readonly results: EventResults,
    private readonly refusal: FeedRefusal,
  ) {}

  async handle({ principal, query }: CallOf<typeof chronosChanges.move>) {
    if (query.recurrenceId) throw CalendarErrors.occurrenceMoves(query.recurrenceId);
    await this.refusal.requireOwnCalendars(principal, query.folder, query.targetFolder);
    const request = await this.results.prepare(principal, query);
    const folderId = parseEventFolder(query.targetFolder);
    const update = { query, body: {}, targetFolder: String(folderId) };
    const outcome = await this.updater.updateEvent(principal, update, request);
    if ('conflicts' in outcome) return this.results.toReply(request, outcome);
    const { changes } = outcome;
    const [left, arrived] = await Promise.all([
      this.results.toResult(request, changes),
      this.results.toResult(request, movedTo(folderId, changes)),
    ]);
    return reply<CalendarResult>(
      { created: [], updated: [...arrived.created!, ...arrived.updated!], deleted: left.deleted },
      { timestamp: changes.stamp },
    );
  }
}

/** The result of a move, as seen in the target folder. */
const movedTo = (id: number, changes: EventChanges): EventChanges => {
  const { calendarUser } = changes.folder;
  const { folderId, isPublic, owner } = changes.changed[0]!.after;
  // Invited users move it between their own calendars.
  const viewer = isPublic || folderId !== id ? calendarUser : owner;
  return { ...changes, folder: { id, createdBy: viewer, calendarUser: viewer } };
};
