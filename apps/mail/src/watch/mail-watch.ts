import { AsyncResource } from 'node:async_hooks';
import { pushMails, type NewMail, type UserRequest } from '@groupware/contracts';
import { ImapPoolSettings, MailConnector, MailFailure } from '@groupware/mail-access';
import { Caller } from '@groupware/messaging';
import { Logger, Periodic, Turns } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { Mailboxes } from '../accounts/mailboxes';
import { InboxListener, type WatchedInbox } from './inbox-listener';
import { MailWatchSettings } from './mail-watch-settings';
import { WatchLeases, type WatchedUser } from './watch-leases';

const log = Logger.for('mail.watch');

/** User for whom this process listens. */
interface Watched extends WatchedUser {
  readonly inboxes: number;
  readonly end: AbortController;
  /** Settles when nothing listens any more. */
  readonly done: Promise<unknown>;
}

/**
 * Listens for new mails of users who look. The edge tells again and again who looks; one process has the lease of a user
 * and renews it while that goes on. The edge starts those anew whose process died.
 */
@Injectable()
export class MailWatch {
  private readonly watched = new Map<string, Watched>();
  private readonly turns: Turns;
  /** Listeners are no part of the call that starts them: they outlive its deadline. */
  private readonly outside = new AsyncResource('MailWatch');
  private readonly rounds = new Periodic(
    () => this.renew(),
    (error) => log.warn({ error: String(error) }, 'who looks is not known at the moment'),
  );

  constructor(
    private readonly mailboxes: Mailboxes,
    private readonly leases: WatchLeases,
    private readonly connector: MailConnector,
    private readonly caller: Caller,
    private readonly settings: MailWatchSettings,
    private readonly pool: ImapPoolSettings,
  ) {
    this.turns = new Turns(settings.starts);
  }

  /** Begins to renew leases. */
  begin(): void {
    this.rounds.start(this.settings.leaseMs / 3);
  }

  /** Ends all listeners, so that other processes take over at once. */
  async stop(): Promise<void> {
    await this.rounds.stop();
    const all = [...this.watched.values()];
    for (const each of all) each.end.abort();
    await Promise.all(all.map(({ done }) => done));
    await Promise.all(all.map((each) => this.leases.release(each).catch(() => undefined)));
  }

  /** Mailboxes that are listened to. */
  get size(): number {
    return [...this.watched.values()].reduce((sum, { inboxes }) => sum + inboxes, 0);
  }

  /** Listens for the user of a request, unless some process does or this one has no room; others may have. */
  async start(request: UserRequest): Promise<void> {
    const { contextId, userId } = request.principal;
    const user: WatchedUser = { contextId, userId };
    const { max } = this.settings;
    // If no process listens at all, that is noted for the user, so that the edge does not ask again and again.
    if (this.rounds.isStopped || (max > 0 && this.size >= max)) return;
    if (!(await this.leases.take(user))) return;
    try {
      const inboxes = await this.findInboxes(request);
      if (inboxes.length === 0) return await this.leases.pause(user);
      this.outside.runInAsyncScope(() => this.listen(user, inboxes));
    } catch (error) {
      await this.leases.release(user);
      throw error;
    }
  }

  /** Goes on for users who look; answers those for whom no process listens. */
  async extend(contextId: number, users: readonly number[]): Promise<number[]> {
    const missing = await this.leases.extend(users.map((userId) => ({ contextId, userId })));
    return missing.map(({ userId }) => userId);
  }

  private async findInboxes(request: UserRequest): Promise<WatchedInbox[]> {
    const { principal } = request;
    const accounts = (await this.mailboxes.listAccounts(request)).filter(
      ({ secret, usesToken }) => secret !== undefined || usesToken,
    );
    const room = Math.min(this.settings.perUser, this.settings.max - this.size);
    return accounts.slice(0, room).map((account) => ({
      account: account.id,
      withLogin: (signal, work) => this.mailboxes.withLogin({ principal, signal }, account, work),
    }));
  }

  private listen(user: WatchedUser, inboxes: readonly WatchedInbox[]): void {
    const key = keyOf(user);
    const end = new AbortController();
    const done = Promise.allSettled(inboxes.map((inbox) => this.listenTo(user, inbox, end.signal))).then((outcomes) => {
      if (this.watched.get(key) === watched) this.watched.delete(key);
      // Each of them was refused: no process tries again before a while, or logins would be locked.
      if (outcomes.every(({ status }) => status === 'rejected')) return this.leases.pause(user).catch(() => undefined);
      return undefined;
    });
    const watched: Watched = { ...user, inboxes: inboxes.length, end, done };
    this.watched.set(key, watched);
  }

  private async listenTo(user: WatchedUser, inbox: WatchedInbox, signal: AbortSignal): Promise<void> {
    const { connector, settings, pool, turns, leases } = this;
    const { account } = inbox;
    const listener = new InboxListener(
      inbox,
      {
        connector,
        settings,
        turns,
        ignoredCapabilities: pool.ignoredCapabilities,
        findTold: () => leases.findTold(user, account),
        noteTold: (told) => leases.noteTold(user, account, told),
        tell: (mails) => this.tell(user, mails),
      },
      signal,
    );
    try {
      await listener.listen();
    } catch (error) {
      const kind = error instanceof MailFailure ? error.kind : String(error);
      log.info({ context: user.contextId, user: user.userId, account, kind }, 'a mailbox cannot be listened to');
      throw error;
    }
  }

  private async tell({ contextId, userId }: WatchedUser, mails: readonly NewMail[]): Promise<void> {
    await this.caller.call(pushMails.tell, {
      principal: { kind: 'internal', service: 'mail', contextId },
      query: { user: userId, mails: [...mails] },
    });
  }

  /** Ends the listeners of users who look no more, or for whom another process listens. */
  private async renew(): Promise<void> {
    for (const { contextId, userId } of await this.leases.renew([...this.watched.values()])) {
      const key = keyOf({ contextId, userId });
      this.watched.get(key)?.end.abort();
      this.watched.delete(key);
    }
  }
}

const keyOf = ({ contextId, userId }: WatchedUser): string => `${contextId}:${userId}`;
