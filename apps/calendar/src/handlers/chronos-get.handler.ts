import { chronos, reply, type CallOf, type EventData, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { EventFinder } from '../events/event-finder';
import { EventReader } from '../events/event-reader';

/** `chronos?action=get`: one event, one series, or one occurrence. */
@Handles(chronos.get)
export class ChronosGetHandler implements Handler<typeof chronos.get> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly finder: EventFinder,
    private readonly reader: EventReader,
  ) {}

  async handle({ principal, query }: CallOf<typeof chronos.get>) {
    const request = await this.reader.prepare(principal, query);
    const shown = await this.database.read(principal, (db) => this.finder.findEvent(db, principal, query));
    const [event] = await this.reader.toEvents(request, [shown]);
    return reply<EventData>(event!, { timestamp: shown.event.lastModified });
  }
}
