import type { NewMail } from '@groupware/contracts';
import {
  ImapSession,
  MailFailure,
  mailFailureOf,
  type ImapLogin,
  type MailConnector,
  type MailFailureKind,
} from '@groupware/mail-access';
import { Logger, type Turns } from '@groupware/service-kit';
import type { FetchMessageObject } from 'imapflow';
import { toMailFolderId } from '../domain/mail-folder';
import type { MailWatchSettings } from './mail-watch-settings';
import { mailWatchMetrics } from './mail-watch-metrics';
import type { ToldMails } from './watch-leases';

const log = Logger.for('mail.watch');
const INBOX = 'INBOX';

/** Most mails that are told at once, the newest ones: no user reads a hundred notices. */
const MOST_TOLD = 20;
/** A server that ends IDLE sooner, without news, does not have it, ms. */
const SHORTEST_IDLE_MS = 1_000;
/** The pause after failures doubles so often. */
const MOST_DOUBLINGS = 5;
/** Failures that asking again does not change before the user does something. */
const REFUSALS: ReadonlySet<MailFailureKind> = new Set(['credentials', 'authentication', 'certificate', 'plain']);
/** Mails with one of these were read, deleted or written by the user: another client put them there. */
const NOT_NEW = ['\\Seen', '\\Deleted', '\\Draft'];

/** A mailbox that is listened to. */
export interface WatchedInbox {
  readonly account: number;
  /** Runs work with what logs in: a password, or an access token of that moment. */
  readonly withLogin: <T>(signal: AbortSignal, work: (login: ImapLogin) => Promise<T>) => Promise<T>;
}

/** Dependencies of a listener. */
export interface ListenerParts {
  readonly connector: Pick<MailConnector, 'openImap'>;
  readonly settings: MailWatchSettings;
  readonly ignoredCapabilities: readonly string[];
  /** Shared by all listeners: so many connect at the same time. */
  readonly turns: Turns;
  /** Up to where mails were told, by this or another process. */
  readonly findTold: () => Promise<ToldMails | undefined>;
  readonly noteTold: (told: ToldMails) => Promise<void>;
  readonly tell: (mails: readonly NewMail[]) => Promise<void>;
}

/** Listens to the INBOX of one account: one connection, which waits for word of the server. */
export class InboxListener {
  private hasNews = false;
  private wake = (): void => undefined;
  /** Whether the server keeps to IDLE. */
  private canIdle = true;

  constructor(
    private readonly inbox: WatchedInbox,
    private readonly parts: ListenerParts,
    private readonly signal: AbortSignal,
  ) {}

  /** Listens until the signal ends it, and connects anew after failures. @throws MailFailure when the server refuses the login */
  async listen(): Promise<void> {
    let failures = 0;
    while (!this.signal.aborted) {
      try {
        await this.listenOnce(() => (failures = 0));
      } catch (error) {
        if (this.signal.aborted) return;
        const failure = mailFailureOf(error);
        mailWatchMetrics.failures.inc({ kind: failure.kind });
        if (REFUSALS.has(failure.kind)) throw failure;
        log.debug({ failure: failure.message, failures }, 'a mailbox cannot be listened to at the moment');
      }
      const pauseMs = this.parts.settings.retryMs * 2 ** Math.min(failures, MOST_DOUBLINGS);
      failures += 1;
      // Half of it is random: those who lost their server together do not come back together.
      await this.rest(pauseMs / 2 + (Math.random() * pauseMs) / 2);
    }
  }

  private async listenOnce(onOpen: () => void): Promise<void> {
    const { connector, turns, ignoredCapabilities } = this.parts;
    const held = await turns.runInTurn(async () => {
      if (this.signal.aborted) return undefined;
      return this.inbox.withLogin(this.signal, ({ server, credentials, use }) =>
        connector.openImap(server, credentials, { ...use, priority: 'background', signal: this.signal }),
      );
    });
    if (!held) return;
    mailWatchMetrics.listeners.inc();
    try {
      await this.follow(new ImapSession(held.connection.client, new Set(ignoredCapabilities)), onOpen);
    } finally {
      mailWatchMetrics.listeners.dec();
      held.close();
    }
  }

  private async follow(session: ImapSession, onOpen: () => void): Promise<void> {
    const { client } = session;
    client.on('exists', ({ count, prevCount }: { count: number; prevCount: number }) => {
      if (count <= prevCount) return;
      this.hasNews = true;
      this.wake();
    });
    client.on('close', () => this.wake());
    // Read only: a look takes no mail the mark of being recent.
    const opened = await client.mailboxOpen(INBOX, { readOnly: true });
    const validity = String(opened.uidValidity);
    // Not all servers tell it when a mailbox is opened (RFC 3501, section 6.3.1).
    const uidNext = opened.uidNext || ((await session.status(INBOX)).uidNext ?? 1);
    const before = await this.parts.findTold();
    let next = before?.validity === validity ? before.next : uidNext;
    if (before?.validity !== validity) await this.parts.noteTold({ validity, next });
    this.hasNews = next < uidNext;
    onOpen();
    while (!this.signal.aborted) {
      if (this.hasNews) {
        this.hasNews = false;
        next = await this.tellFrom(session, next, validity);
      }
      await this.waitForNews(session);
      if (!client.usable) throw new MailFailure('broken');
    }
  }

  private async waitForNews(session: ImapSession): Promise<void> {
    const { client } = session;
    const { renewMs, pollMs } = this.parts.settings;
    if (this.hasNews) return;
    if (!this.canIdle || !session.can('IDLE')) {
      await this.rest(pollMs);
      if (!this.signal.aborted) await client.noop();
      return;
    }
    const since = performance.now();
    let isOver = false;
    const idling = client.idle().finally(() => {
      isOver = true;
      this.wake();
    });
    await this.rest(renewMs);
    if (isOver && !this.hasNews && client.usable && performance.now() - since < SHORTEST_IDLE_MS) this.canIdle = false;
    if (this.signal.aborted || !client.usable) return void idling.catch(() => undefined);
    // Another command ends IDLE.
    await client.noop();
    await idling;
  }

  /** Waits until the time is over, or something happens before. */
  private rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.signal.removeEventListener('abort', end);
        this.wake = () => undefined;
        resolve();
      };
      const timer = setTimeout(end, ms);
      this.wake = end;
      if (this.signal.aborted) end();
      else this.signal.addEventListener('abort', end, { once: true });
    });
  }

  /** Tells of mails from a UID on; answers the first UID that is not told. */
  private async tellFrom(session: ImapSession, next: number, validity: string): Promise<number> {
    const found = (await session.client.search({ uid: `${next}:*` }, { uid: true })) || [];
    // `*` is the last mail, also where its UID is below.
    const uids = found.filter((uid) => uid >= next).sort((a, b) => a - b);
    const last = uids.at(-1);
    if (last === undefined) return next;
    const mails = await this.readMails(session, uids.slice(-MOST_TOLD));
    if (mails.length > 0) {
      await this.parts.tell(mails);
      mailWatchMetrics.mails.inc(mails.length);
    }
    await this.parts.noteTold({ validity, next: last + 1 });
    return last + 1;
  }

  private async readMails(session: ImapSession, uids: readonly number[]): Promise<NewMail[]> {
    const fetched = await session.fetch(uids, { envelope: true, flags: true });
    const fresh = fetched
      .filter(({ flags }) => !NOT_NEW.some((flag) => flags?.has(flag)))
      .sort((one, other) => one.uid - other.uid);
    if (fresh.length === 0) return [];
    const folder = toMailFolderId({ account: this.inbox.account, path: INBOX });
    const previews = await session.fetchPreviews(fresh.map(({ uid }) => uid));
    const { unseen } = await session.status(INBOX);
    return fresh.map((message) => toNewMail(message, folder, previews.get(message.uid), unseen));
  }
}

/** Makes the notice of a mail. */
function toNewMail(
  { uid, envelope }: FetchMessageObject,
  folder: string,
  teaser: string | undefined,
  unread: number | undefined,
): NewMail {
  const { address, name } = envelope?.from?.[0] ?? {};
  return {
    folder,
    id: String(uid),
    ...(address ? { email: address } : {}),
    ...(name ? { displayname: name } : {}),
    ...(envelope?.subject ? { subject: envelope.subject } : {}),
    ...(unread === undefined ? {} : { unread }),
    ...(teaser ? { teaser } : {}),
  };
}
