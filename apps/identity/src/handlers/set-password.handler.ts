import { type CallOf, type Handler, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { Passwords } from '../domain/passwords';
import { UserRepository } from '../persistence/user.repository';
import { toActor } from '../domain/actor';
import { ChangeNotifier } from '../provisioning/change-notifier';
import { UserEditor } from '../provisioning/user-editor';
import { requireVersion } from '../provisioning/version';

/** Sets the password of a user. */
@Handles(provisioning.setPassword)
export class SetPasswordHandler implements Handler<typeof provisioning.setPassword> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
    private readonly editor: UserEditor,
    private readonly passwords: Passwords,
    private readonly notifier: ChangeNotifier,
  ) {}

  async handle({ principal, query, body, edge }: CallOf<typeof provisioning.setPassword>) {
    await this.database.read(query, (db) => this.users.get(db, query.userId));
    const hash = await this.passwords.hash(body.password);
    await this.database.transact(query, async (tx) => {
      requireVersion(edge, (await this.users.lock(tx, query.userId)).version);
      await this.editor.setPassword(tx, query.userId, hash, body.mustChange ?? false, {
        ...toActor(principal),
        ...(edge ? { address: edge.remoteAddress } : {}),
      });
    });
    if (!body.keepSessions) await this.notifier.notifyUserClosed(query.contextId, query.userId);
    return undefined;
  }
}
