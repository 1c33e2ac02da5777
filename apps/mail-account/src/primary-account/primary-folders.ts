import { standardMailFolders, type StandardMailFolders, type UserRequest } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Clock, describeError, Logger } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';

/** The mail server is waited for no longer, ms: the configured names are shown then. */
const TIMEOUT_MS = 2_000;
const log = Logger.for('mail-account.primary');

/** Finds the standard folders of primary mailboxes, which the mail service reads from their servers. */
@Injectable()
export class PrimaryFolders {
  constructor(
    private readonly caller: Caller,
    private readonly clock: Clock,
  ) {}

  /** The folders of the user's mailbox; undefined without one, or when it is not reached in time. Never fails. */
  async findFolders({ principal, deadline, requestId, signal }: UserRequest): Promise<StandardMailFolders | undefined> {
    try {
      const found = await this.caller.call(standardMailFolders.find, {
        principal: { kind: 'internal', service: 'mail-account', contextId: principal.contextId, user: principal },
        deadline: Math.min(deadline, this.clock.now() + TIMEOUT_MS),
        requestId,
        signal,
      });
      return found ?? undefined;
    } catch (error) {
      log.info({ error: describeError(error) }, 'the primary account is shown with configured folders');
      return undefined;
    }
  }
}
