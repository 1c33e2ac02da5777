import { calendarViews, ObjectErrors, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { resolveRequestZone } from '../domain/request-zone';
import { UidRepository } from '../persistence/uid.repository';

/** `resolveuid`: the appointment of the user with a unique id. */
@Handles(calendarViews.resolveuid)
export class ResolveuidHandler implements Handler<typeof calendarViews.resolveuid> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly uids: UidRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof calendarViews.resolveuid>) {
    // No time is in the answer, but a zone that does not exist is refused as everywhere.
    resolveRequestZone(query.timezone, principal.timeZone);
    const id = await this.database.read(principal, (db) => this.uids.findId(db, principal.userId, query.uid));
    if (id === undefined) throw ObjectErrors.notFound(query.uid, principal.contextId);
    return { id: String(id) };
  }
}
