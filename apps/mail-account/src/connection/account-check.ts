import { ALLOW_PLAIN_MAIL, type QuotaData, type UserPrincipal } from '@groupware/contracts';
import {
  MailConnector,
  MailFailure,
  type MailCredentials,
  type MailServer,
  type MailUse,
  type Protection,
} from '@groupware/mail-access';
import { Properties } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import type { AccountLogin } from '../credentials/account-credentials';
import { Certificates } from '../certificates/certificates';
import { MAX_FOLDERS, type ListedFolder } from '../domain/folder-tree';
import type { ServerAddress } from '../domain/server-address';

/** Outcome of a login check. */
export interface CheckOutcome {
  /** True when the connection was encrypted. */
  readonly secure: boolean;
  /** Folders, if requested. */
  readonly folders: readonly ListedFolder[];
}

/** A login check. */
export interface CheckRequest {
  readonly user: UserPrincipal;
  /** Account id; -1 for one that is not stored. */
  readonly id: number;
  readonly server: ServerAddress;
  readonly credentials: MailCredentials & Partial<Pick<AccountLogin, 'isOperators'>>;
  readonly withFolders?: boolean;
  /** Names of folders to create, given the existing ones; IMAP with folders only. Refused ones are left out. */
  readonly lacking?: (folders: readonly ListedFolder[]) => readonly string[];
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Checks logins to the servers of accounts. */
@Injectable()
export class AccountCheck {
  constructor(
    private readonly connector: MailConnector,
    private readonly properties: Properties,
    private readonly certificates: Certificates,
  ) {}

  /** Logs in to the mail server of an account. @throws MailFailure */
  async checkMail(request: CheckRequest): Promise<CheckOutcome> {
    const server = await this.resolveServer(request);
    const use = this.toMailUse(request);
    if (server.protocol === 'pop3') {
      const secure = await this.connector.withPop3(server, request.credentials, use, async (session) => session.secure);
      return { secure, folders: [{ path: 'INBOX', name: 'INBOX', delimiter: '/' }] };
    }
    return this.connector.withImap(server, request.credentials, use, async ({ client, secure }) => {
      if (!request.withFolders) return { secure, folders: [] };
      const listed = await client.list();
      if (listed.length > MAX_FOLDERS) throw new MailFailure('broken');
      const folders = listed.map(({ path, name, delimiter, subscribed, specialUse }) => ({
        path,
        name,
        delimiter,
        subscribed,
        specialUse,
      }));
      const created: ListedFolder[] = [];
      for (const name of request.lacking?.(folders) ?? []) {
        // An array name gets the prefix of the user's namespace.
        const folder = await client.mailboxCreate([name]).catch(() => undefined);
        if (!folder) continue;
        await client.mailboxSubscribe(folder.path).catch(() => undefined);
        created.push({ path: folder.path, name, delimiter: folders[0]?.delimiter ?? '/', subscribed: true });
      }
      return { secure, folders: [...folders, ...created] };
    });
  }

  /** Bytes that the mailbox uses and may use; undefined where the IMAP server tells no such limit. @throws MailFailure */
  async getSpace(request: CheckRequest): Promise<QuotaData | undefined> {
    const server = await this.resolveServer(request);
    return this.connector.withImap(server, request.credentials, this.toMailUse(request), async ({ client }) => {
      const found = await client.getQuota('INBOX');
      if (!found || !found.storage) return undefined;
      return { quota: found.storage.limit ?? -1, use: found.storage.usage ?? -1 };
    });
  }

  /** Logs in to the transport server of an account. @throws MailFailure */
  async checkTransport(request: CheckRequest): Promise<CheckOutcome> {
    const server = await this.resolveServer(request);
    return this.connector.withSmtp(server, request.credentials, this.toMailUse(request), async ({ secure }) => ({
      secure,
      folders: [],
    }));
  }

  private async resolveServer({ user, server }: CheckRequest): Promise<MailServer> {
    const protection: Protection = server.secure ? 'tls' : server.starttls ? 'starttls' : 'offered';
    return {
      protocol: server.protocol as MailServer['protocol'],
      host: server.host,
      port: server.port,
      protection,
      allowPlain: await this.properties.get(ALLOW_PLAIN_MAIL, user),
    };
  }

  private toMailUse({ user, id, server, credentials, timeoutMs, signal }: CheckRequest): MailUse {
    return {
      account: `${user.contextId}:${user.userId}:${id}`,
      onBehalfOf: `${user.contextId}:${user.userId}`,
      timeoutMs,
      signal,
      ...(credentials.isOperators
        ? {}
        : { acceptsCertificate: (certificate) => this.certificates.isAccepted(user, server.host, certificate) }),
    };
  }
}
