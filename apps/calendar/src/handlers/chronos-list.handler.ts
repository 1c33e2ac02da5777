import {
  APPOINTMENT_RIGHTS,
  chronos,
  reply,
  waiveCheck,
  type CallOf,
  type EventData,
  type Handler,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { EventFinder } from '../events/event-finder';
import { EventReader } from '../events/event-reader';

/** `chronos?action=list`: events by id, in the order asked for; null for what is gone. */
@Handles(chronos.list)
export class ChronosListHandler implements Handler<typeof chronos.list> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly finder: EventFinder,
    private readonly reader: EventReader,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof chronos.list>) {
    const request = await this.reader.prepare(principal, query);
    const found = await this.database.read(principal, (db) => this.finder.findEvents(db, principal, body));
    const shown = found.filter((each) => each !== undefined);
    if (shown.length === 0) waiveCheck(APPOINTMENT_RIGHTS.read, 'nothing is there to be read');
    const events = (await this.reader.toEvents(request, shown)).values();
    const newest = Math.max(0, ...shown.map(({ event }) => event.lastModified));
    return reply<(EventData | null)[]>(
      found.map((each) => (each ? events.next().value! : null)),
      newest > 0 ? { timestamp: newest } : {},
    );
  }
}
