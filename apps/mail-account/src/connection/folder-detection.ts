import type { MailAccountData, UserPrincipal } from '@groupware/contracts';
import { Logger } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { AccountLogins } from '../credentials/account-logins';
import { AccountCheck } from './account-check';
import type { AccountChanges } from '../domain/account-input';
import { findStoredServer } from '../domain/account-view';
import { detectStandardFolders, type ListedFolder } from '../domain/folder-tree';
import { FOLDER_NAMES, FOLDER_ROLES, type FolderRole, type StoredAccount } from '../domain/stored-account';

/** Result of the first connection of an account. */
export interface FirstConnection {
  /** Detected standard folders. */
  readonly folders: AccountChanges;
  /** False when it was unencrypted; undefined when it failed. */
  readonly secure?: boolean;
}

/** Timeout of a creation for the server, ms. */
const TIMEOUT_MS = 4_000;
const log = Logger.for('mail-account.first-connection');

/** Roles whose folder is created where the server has none. */
const NEEDED: readonly FolderRole[] = ['trash', 'sent', 'drafts', 'spam'];

/**
 * Detects standard folders of a new account and creates missing ones. An unreachable server does not prevent the
 * creation.
 */
@Injectable()
export class FolderDetection {
  constructor(
    private readonly check: AccountCheck,
    private readonly logins: AccountLogins,
  ) {}

  /** Connects once. Never fails. */
  async detectFolders(
    user: UserPrincipal,
    account: StoredAccount,
    body: MailAccountData,
    signal: AbortSignal,
  ): Promise<FirstConnection> {
    const server = findStoredServer(account, 'mail');
    if (!server) return { folders: {} };
    const open = FOLDER_ROLES.filter((role) => !body[`${role}_fullname`]);
    const wanted = Object.fromEntries(FOLDER_ROLES.map((role) => [role, body[role] || undefined]));
    const lacking = (folders: readonly ListedFolder[]): string[] => {
      const found = detectStandardFolders(folders, wanted);
      const missing = NEEDED.filter((role) => open.includes(role) && !found[role]);
      return missing.map((role) => wanted[role] ?? FOLDER_NAMES[role]);
    };
    try {
      const common = { user, id: -1, withFolders: true, lacking, timeoutMs: TIMEOUT_MS, signal };
      const byToken = await this.logins.tryToken(user, account, 'mail', (_server, credentials) =>
        this.check.checkMail({ ...common, server, credentials }),
      );
      const { login, password } = account;
      if (!byToken && (!login || !password)) return { folders: {} };
      const { secure, folders } = byToken
        ? byToken.result
        : await this.check.checkMail({ ...common, server, credentials: { login: login!, password: password! } });
      if (server.protocol !== 'imap') return { folders: {}, secure };
      const found = detectStandardFolders(folders, wanted);
      const changes = open.flatMap((role) => {
        const folder = found[role];
        return folder ? [[role, folder.name] as const, [`${role}_fullname`, folder.path] as const] : [];
      });
      return { folders: Object.fromEntries(changes), secure };
    } catch (error) {
      log.info({ host: server.host, reason: String(error) }, 'a new account does not connect yet');
      return { folders: {} };
    }
  }
}
