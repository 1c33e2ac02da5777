import { CatalogueError, MailConnectionErrors, type QuotaData, type UserPrincipal } from '@groupware/contracts';
import { mailFailureOf, warningOf, type MailFailureKind } from '@groupware/mail-access';
import { Injectable } from '@nestjs/common';
import { Accounts } from '../accounts/accounts';
import { AccountLogins } from '../credentials/account-logins';
import { findStoredServer } from '../domain/account-view';
import { PRIMARY_ID } from '../domain/stored-account';
import { AccountCheck } from './account-check';

const UNKNOWN: QuotaData = { quota: -1, use: -1 };
const SILENT: ReadonlySet<MailFailureKind> = new Set(['unreachable', 'broken', 'busy']);

/** Asks the server of the primary account how much space its mailbox uses. */
@Injectable()
export class MailboxSpace {
  constructor(
    private readonly accounts: Accounts,
    private readonly logins: AccountLogins,
    private readonly check: AccountCheck,
  ) {}

  /**
   * Bytes of the mailbox and their limit, -1 where the server tells none (RFC 9208) or there is no mailbox.
   * @throws MSG-0090 when the server does not answer, MSG-0091 and others when it refuses the log-in
   */
  async measure(user: UserPrincipal, signal: AbortSignal): Promise<QuotaData> {
    const own = (await this.accounts.listAccounts(user)).find(({ account }) => account.id === PRIMARY_ID);
    if (!own || own.account.mail_disabled) return UNKNOWN;
    const server = findStoredServer(own.account, 'mail');
    if (server?.protocol !== 'imap') return UNKNOWN;
    const login = own.account.login ?? '';
    try {
      const asked = await this.logins.logIn(user, own.account, 'mail', (_server, credentials) =>
        this.check.getSpace({ user, id: PRIMARY_ID, server, credentials, signal }),
      );
      if (!asked) throw MailConnectionErrors.badCredentials(server.host, login);
      return asked.result ?? UNKNOWN;
    } catch (error) {
      if (error instanceof CatalogueError) throw error;
      const failure = mailFailureOf(error);
      if (SILENT.has(failure.kind))
        throw MailConnectionErrors.pingFailed(server.host, login, 'it does not answer').with({ cause: failure });
      throw warningOf(failure, { host: server.host, protocol: 'imap' }, login);
    }
  }
}
