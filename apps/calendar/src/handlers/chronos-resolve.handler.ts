import {
  CalendarErrors,
  chronos,
  reply,
  RequestErrors,
  type CallOf,
  type EventData,
  type Handler,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { EventFinder, parseEventId } from '../events/event-finder';
import { EventReader } from '../events/event-reader';
import { UidRepository } from '../persistence/uid.repository';

/** `chronos?action=resolve`: an event by its id or unique id, where the user sees it. */
@Handles(chronos.resolve)
export class ChronosResolveHandler implements Handler<typeof chronos.resolve> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly uids: UidRepository,
    private readonly finder: EventFinder,
    private readonly reader: EventReader,
  ) {}

  async handle({ principal, query }: CallOf<typeof chronos.resolve>) {
    const { uid } = query;
    // Existing clients name the event itself by `sequence`.
    const isNumber = query.id === undefined && uid === undefined;
    const id = isNumber ? query.sequence?.toString() : query.id;
    const sequence = isNumber ? undefined : query.sequence;
    if (id === undefined && uid === undefined) throw RequestErrors.missingParameter('id');
    const request = await this.reader.prepare(principal, query);
    const shown = await this.database.read(principal, async (db) => {
      const found = id === undefined ? await this.uids.findId(db, principal.userId, uid!) : parseEventId(id);
      if (found === undefined) throw CalendarErrors.eventNotFound(uid);
      return this.finder.resolveEvent(db, principal, found);
    });
    if (sequence !== undefined && shown.event.sequence !== sequence)
      throw CalendarErrors.revisionNotFound(shown.event.id, sequence);
    const [event] = await this.reader.toEvents(request, [shown]);
    return reply<EventData>(event!, { timestamp: shown.event.lastModified });
  }
}
