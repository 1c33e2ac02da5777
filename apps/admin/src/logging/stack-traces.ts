import { Injectable } from '@nestjs/common';
import { RequestErrors } from '@groupware/contracts';
import { Logger } from '@groupware/service-kit';
import { SessionStore, type SharedTable } from '@groupware/sessions';
import { RuntimeChanges } from '../broadcast/runtime-changes';
import { Owners } from './owners';

/** Users whose errors show their stack. */
@Injectable()
export class StackTraces {
  private readonly table: SharedTable;
  private readonly log = Logger.for('admin.logging');

  constructor(
    store: SessionStore,
    private readonly owners: Owners,
    private readonly changes: RuntimeChanges,
  ) {
    this.table = store.sharedTable('logging:stack-traces');
  }

  /** All such users, as `<context id>:<user id>`. */
  async listUsers(): Promise<string[]> {
    return Object.keys(await this.table.readAll());
  }

  /** Switches it off for the users whose keys fit; answers how many there were. */
  async removeUsers(fits: (key: string) => boolean): Promise<number> {
    return this.table.removeTexts((await this.listUsers()).filter(fits));
  }

  /** Whether it is on for a user. @throws USR-0010 */
  async isEnabled(contextId: number, userId: number): Promise<boolean> {
    await this.owners.requireUser(contextId, userId);
    return (await this.table.getText(`${contextId}:${userId}`)) !== undefined;
  }

  /** Switches it for a user from a body. @throws USR-0010, SVL-0031 */
  async setEnabled(contextId: number, userId: number, body: unknown): Promise<boolean> {
    if (typeof body !== 'boolean') throw RequestErrors.badBodyData('neither true nor false');
    await this.owners.requireUser(contextId, userId);
    const key = `${contextId}:${userId}`;
    if (body) await this.table.putTexts({ [key]: '1' });
    else await this.table.removeTexts([key]);
    this.log.info({ of: key, on: body }, 'stack trace switched');
    this.changes.broadcastChange();
    return body;
  }
}
