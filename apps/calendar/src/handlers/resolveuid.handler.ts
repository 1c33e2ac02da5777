import { calendarViews, ObjectErrors, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { UidRepository } from '../persistence/uid.repository';

/** `resolveuid`: the appointment of the user with a unique id. */
@Handles(calendarViews.resolveuid)
export class ResolveuidHandler implements Handler<typeof calendarViews.resolveuid> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly uids: UidRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof calendarViews.resolveuid>) {
    const id = await this.database.read(principal, (db) => this.uids.idOf(db, principal.userId, query.uid));
    if (id === undefined) throw ObjectErrors.notFound(query.uid, principal.contextId);
    return { id: String(id) };
  }
}
