import {
  DirectoryErrors,
  fieldsOf,
  PersonData,
  reply,
  RequestErrors,
  user,
  type CallOf,
  type Handler,
  type UserChanges,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { userActor } from '../directory/entity-views';
import { entityId } from '../domain/entity-id';
import { UserRepository, type UserRow } from '../persistence/user.repository';
import { ContextRepository } from '../persistence/context.repository';
import { AfterChange } from '../provisioning/after-change';
import { UserEditor } from '../provisioning/user-editor';

/** Fields with columns of their own; the first mail address belongs to the account and stays. */
const OWN_COLUMNS: ReadonlySet<string> = new Set(['display_name', 'first_name', 'last_name', 'email1']);

/** The further fields of the person after a change: null removes one. */
export function personAfter(before: UserRow['person'], body: UserChanges): UserRow['person'] {
  const after: Record<string, string | number> = { ...before };
  const names = [
    ...fieldsOf(PersonData).map(({ property }) => property),
    'categories',
    'color_label',
    'default_address',
  ];
  for (const name of names) {
    if (OWN_COLUMNS.has(name)) continue;
    const value = (body as Record<string, string | number | null | undefined>)[name];
    if (value === undefined) continue;
    if (value === null || value === '') delete after[name];
    else after[name] = value;
  }
  return after;
}

/** Changes the data of a person, locale and time zone. */
@Handles(user.update)
export class UserUpdateHandler implements Handler<typeof user.update> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
    private readonly contexts: ContextRepository,
    private readonly editor: UserEditor,
    private readonly after: AfterChange,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof user.update>) {
    const userId = entityId(query.id);
    if (userId === undefined) throw DirectoryErrors.userNotFound(query.id, principal.contextId);
    const changed = await this.database.transact(principal, async (tx) => {
      const before = await this.users.lock(tx, userId);
      const isAdmin = (await this.contexts.get(tx)).adminUserId === principal.userId;
      if (userId !== principal.userId && !isAdmin) throw RequestErrors.noModulePermission('user');
      if (before.changedAt > query.timestamp) throw RequestErrors.changedInTheMeantime();
      const change = {
        ...(body.display_name ? { displayName: body.display_name } : {}),
        ...(body.first_name === undefined ? {} : { givenName: body.first_name }),
        ...(body.last_name ? { surname: body.last_name } : {}),
        ...(body.locale ? { locale: body.locale } : {}),
        ...(body.timezone ? { timezone: body.timezone } : {}),
      };
      return this.editor.changePerson(tx, before, change, personAfter(before.person, body), userActor(principal));
    });
    await this.after.users(principal.contextId, [userId]);
    return reply(undefined, { timestamp: changed.changedAt });
  }
}
