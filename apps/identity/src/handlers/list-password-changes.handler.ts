import {
  DirectoryErrors,
  loginHistory,
  PASSWORD_HISTORY,
  RestErrors,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { Cascade } from '../configuration/cascade';
import { toOrderClause, PasswordChangeRepository } from '../persistence/password-change.repository';
import { PropertyRepository } from '../configuration/property.repository';
import { UserRepository } from '../persistence/user.repository';
import { PROVISIONING_CLIENT } from '../provisioning/password-history';

/** Display names of known clients. */
const NAMES: Readonly<Record<string, string>> = {
  default: 'Web UI',
  'svc-appsuite': 'Web UI',
  [PROVISIONING_CLIENT]: 'Provisioning API',
};

/** Changes of the password of a user. */
@Handles(loginHistory.listPasswordChanges)
export class ListPasswordChangesHandler implements Handler<typeof loginHistory.listPasswordChanges> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
    private readonly changes: PasswordChangeRepository,
    private readonly properties: PropertyRepository,
    private readonly cascade: Cascade,
  ) {}

  async handle({ query }: CallOf<typeof loginHistory.listPasswordChanges>) {
    const order = toOrderClause(query.sort?.trim() || '-date');
    if (order === undefined) throw RestErrors.invalid('sort names an unknown field');
    const limit = query.limit !== undefined && query.limit > 0 ? query.limit : null;
    const rows = await this.database.read(query, async (db) => {
      await this.users.get(db, query.userId);
      const scoped = await this.properties.getEffective(db, query.userId);
      if (!this.cascade.value(PASSWORD_HISTORY, scoped))
        throw DirectoryErrors.userNotFound(query.userId, query.contextId);
      return this.changes.list(db, query.userId, order, limit);
    });
    return rows.map(({ at, clientId, clientAddress }) => ({
      date: at,
      client_id: clientId,
      ...(clientAddress === null ? {} : { client_address: clientAddress }),
      ...(Object.hasOwn(NAMES, clientId) ? { client_name: NAMES[clientId]! } : {}),
    }));
  }
}
