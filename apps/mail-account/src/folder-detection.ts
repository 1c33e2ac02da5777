import type { MailAccountData, UserPrincipal } from '@groupware/contracts';
import { Logger } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { AccountCheck } from './account-check';
import type { AccountChanges } from './domain/account-input';
import { storedServer } from './domain/account-view';
import { standardFolders, type ListedFolder } from './domain/folder-tree';
import { FOLDER_NAMES, FOLDER_ROLES, type FolderRole, type StoredAccount } from './domain/stored-account';

/** What the first connection of an account told. */
export interface FirstConnection {
  /** Names of standard folders that were found. */
  readonly folders: AccountChanges;
  /** False when it worked without encryption; undefined when it did not work. */
  readonly secure?: boolean;
}

/** Longest time a creation waits for the server, ms. */
const TIMEOUT_MS = 4_000;
const log = Logger.for('mail-account.first-connection');

/** Roles whose folder is created where the server has none. */
const NEEDED: readonly FolderRole[] = ['trash', 'sent', 'drafts', 'spam'];

/**
 * Looks for standard folders when an account is created, and creates those that are missing. A server that cannot be
 * reached does not stop the creation.
 */
@Injectable()
export class FolderDetection {
  constructor(private readonly check: AccountCheck) {}

  /** Connects once. Never fails. */
  async detect(
    user: UserPrincipal,
    account: StoredAccount,
    body: MailAccountData,
    signal: AbortSignal,
  ): Promise<FirstConnection> {
    const server = storedServer(account, 'mail');
    if (!server || !account.login || !account.password || (account.mail_oauth ?? -1) >= 0) return { folders: {} };
    const open = FOLDER_ROLES.filter((role) => !body[`${role}_fullname`]);
    const wanted = Object.fromEntries(FOLDER_ROLES.map((role) => [role, body[role] || undefined]));
    const lacking = (folders: readonly ListedFolder[]): string[] => {
      const found = standardFolders(folders, wanted);
      const missing = NEEDED.filter((role) => open.includes(role) && !found[role]);
      return missing.map((role) => wanted[role] ?? FOLDER_NAMES[role]);
    };
    try {
      const { secure, folders } = await this.check.mail({
        user,
        id: -1,
        server,
        credentials: { login: account.login, password: account.password },
        withFolders: true,
        lacking,
        timeoutMs: TIMEOUT_MS,
        signal,
      });
      if (server.protocol !== 'imap') return { folders: {}, secure };
      const found = standardFolders(folders, wanted);
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
