import { createHash } from 'node:crypto';
import { CatalogueError, type MailboxAccess, type UserPrincipal, type UserRequest } from '@groupware/contracts';
import { findRefusal, MailConnector, type ImapSession, type Pop3Mail, type Pop3Session } from '@groupware/mail-access';
import { MailHeaders } from '@groupware/mail-content';
import { ModuleDatabase } from '@groupware/persistence';
import { Logger } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { Mailboxes } from '../accounts/mailboxes';
import { findReceived } from '../domain/received-time';
import { PRIMARY_ACCOUNT } from '../domain/mail-folder';
import { CollectedMailRepository, type CollectedMails, type CollectionState } from './collected-mail.repository';
import { MailCollectionSettings } from './mail-collection-settings';
import { mailCollectionMetrics } from './mail-collection-metrics';

const log = Logger.for('mail.collection');
/** Names a collected mail, so that one is found whose storing was cut. */
const HEADER = 'X-Svc-Collected';
/** Largest header block that is searched for the time of arrival, bytes. */
const MAX_HEADER_BYTES = 262_144;

/** An account that mails are collected from. */
export type CollectedAccount = MailboxAccess & Required<Pick<MailboxAccess, 'pop3'>>;

/** What one look came to. */
export interface CollectionOutcome {
  readonly collected: number;
  /** There is more than one look collects. */
  readonly hasMore: boolean;
}

/**
 * Collects mails of POP3 accounts into a folder of the primary mailbox: each once, in the order of the server. What a mail is about
 * to be stored is noted before, so that after a cut it is looked for in the folder before it is stored again.
 */
@Injectable()
export class MailCollector {
  constructor(
    private readonly mailboxes: Mailboxes,
    private readonly connector: MailConnector,
    private readonly database: ModuleDatabase,
    private readonly rows: CollectedMailRepository,
    private readonly settings: MailCollectionSettings,
  ) {}

  /** Looks at an account once. @throws MailFailure of the POP3 server, and what the primary mailbox throws */
  async collect(request: UserRequest, account: CollectedAccount): Promise<CollectionOutcome> {
    const { pop3 } = account;
    let failure: unknown;
    const outcome = await this.mailboxes
      .withLogin(request, { ...account, server: pop3.server }, ({ server, credentials, use }) =>
        this.connector.withPop3(
          { ...server, protocol: 'pop3' },
          credentials,
          { ...use, priority: 'background', signal: request.signal },
          async (session) => {
            const end = () => session.end();
            request.signal.addEventListener('abort', end, { once: true });
            try {
              return await this.collectFrom(request, account, session);
            } catch (error) {
              // What is no failure of the POP3 server is told as it is.
              if (error instanceof CatalogueError || findRefusal(error)) failure = error;
              throw error;
            } finally {
              request.signal.removeEventListener('abort', end);
            }
          },
        ),
      )
      .catch((error: unknown) => {
        throw failure ?? error;
      });
    mailCollectionMetrics.mails.inc(outcome.collected);
    return outcome;
  }

  private async collectFrom(
    request: UserRequest,
    account: CollectedAccount,
    session: Pop3Session,
  ): Promise<CollectionOutcome> {
    const { principal: user, signal } = request;
    const { mails: most, mailBytes } = this.settings;
    const listed = (await session.listMails()).map((mail) => ({ mail, id: toId(mail) }));
    const known = await this.database.read(user, (db) => this.rows.list(db, user.userId, account.id));
    await this.forgetGone(user, account, known, new Set(listed.map(({ id }) => id)));
    const wanted = listed.filter(
      ({ mail, id }) => (known.get(id) ?? 'storing') === 'storing' && mail.size <= mailBytes,
    );
    const stored = new Set([...known].flatMap(([id, state]) => (state === 'stored' ? [id] : [])));
    let collected = 0;
    for (const { mail, id } of wanted.slice(0, most)) {
      if (signal.aborted) break;
      const state = await this.store(request, account, {
        id,
        isCut: known.has(id),
        read: () => session.read(mail, mailBytes),
      });
      if (state === 'stored') stored.add(id);
      collected += 1;
    }
    if (account.pop3.removesCollected)
      for (const { mail, id } of listed) if (stored.has(id)) await session.remove(mail);
    await session.close();
    return { collected, hasMore: wanted.length > collected };
  }

  private async store(
    request: UserRequest,
    account: CollectedAccount,
    { id, isCut, read }: { id: string; isCut: boolean; read: () => Promise<Buffer> },
  ): Promise<CollectionState> {
    const { principal: user } = request;
    const note = (state: CollectionState) =>
      this.database.transact(user, (tx) => this.rows.put(tx, user.userId, account.id, id, state));
    // Read before a connection to the primary mailbox is taken from others.
    const source = await read();
    if (!isCut) await note('storing');
    const state = await this.mailboxes.useAccount(request, PRIMARY_ACCOUNT, {}, async (session) => {
      const { path } = await session.createMailbox([account.pop3.folder]);
      if (isCut && (await isStored(session, path, id))) return 'stored';
      return this.append(session, path, id, source);
    });
    await note(state);
    return state;
  }

  private async append(session: ImapSession, path: string, id: string, source: Buffer): Promise<CollectionState> {
    const marked = Buffer.concat([Buffer.from(`${HEADER}: ${id}\r\n`), source]);
    const headers = new MailHeaders(source.subarray(0, findHeaderEnd(source)));
    try {
      await session.append(path, marked, [], findReceived(headers));
      return 'stored';
    } catch (error) {
      const refusal = findRefusal(error);
      // A full mailbox takes the mail later; others never.
      if (!refusal || refusal.code === 'OVERQUOTA') throw error;
      log.warn({ code: refusal.code }, 'the mail server refused a collected mail, which stays at the POP3 server');
      return 'refused';
    }
  }

  /** Forgets mails that the server has no more. */
  private async forgetGone(
    user: UserPrincipal,
    account: CollectedAccount,
    known: CollectedMails,
    there: ReadonlySet<string>,
  ): Promise<void> {
    const gone = [...known.keys()].filter((id) => !there.has(id));
    if (gone.length > 0)
      await this.database.transact(user, (tx) => this.rows.delete(tx, user.userId, account.id, gone));
  }
}

/** Id of a mail that fits into headers and keys, whatever the server calls it. */
const toId = ({ uid }: Pop3Mail): string => createHash('sha256').update(uid).digest('hex').slice(0, 40);

async function isStored(session: ImapSession, path: string, id: string): Promise<boolean> {
  await session.select(path);
  const found = await session.client.search({ header: { [HEADER]: id } }, { uid: true });
  return found !== false && found !== undefined && found.length > 0;
}

function findHeaderEnd(source: Buffer): number {
  const end = source.indexOf('\r\n\r\n');
  return Math.min(end < 0 ? source.length : end + 2, MAX_HEADER_BYTES);
}
