import { Injectable } from '@nestjs/common';
import { RuntimeChanges } from '../broadcast/runtime-changes';
import { LogTable } from './log-table';
import { StackTraces } from './stack-traces';

/** Removes what was set for the log output of contexts and users with these. Safe to repeat. */
@Injectable()
export class OwnerRemoval {
  constructor(
    private readonly table: LogTable,
    private readonly stackTraces: StackTraces,
    private readonly changes: RuntimeChanges,
  ) {}

  /** Removes the levels and the stack trace flag of a user. */
  async removeUser(contextId: number, userId: number): Promise<void> {
    const key = `${contextId}:${userId}`;
    const removed = [
      await this.table.removeOwners('users', (owner) => owner === key),
      await this.stackTraces.removeUsers((user) => user === key),
    ];
    this.notify(removed);
  }

  /** Removes the levels of a context, and those and the stack trace flags of its users. */
  async removeContext(contextId: number): Promise<void> {
    const isOfContext = (key: string): boolean => key.startsWith(`${contextId}:`);
    const removed = [
      await this.table.removeOwners('contexts', (owner) => owner === String(contextId)),
      await this.table.removeOwners('users', isOfContext),
      await this.stackTraces.removeUsers(isOfContext),
    ];
    this.notify(removed);
  }

  private notify(removed: readonly number[]): void {
    if (removed.some((count) => count > 0)) this.changes.broadcastChange();
  }
}
