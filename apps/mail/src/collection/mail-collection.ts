import { AsyncResource } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { CatalogueError, type MailboxAccess, type UserRequest } from '@groupware/contracts';
import { MAIL_REDIS, MailFailure } from '@groupware/mail-access';
import { Logger, ProcessSettings, Turns } from '@groupware/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { Mailboxes } from '../accounts/mailboxes';
import { MailCollectionSettings } from './mail-collection-settings';
import { mailCollectionMetrics } from './mail-collection-metrics';
import { MailCollector, type CollectedAccount } from './mail-collector';

const log = Logger.for('mail.collection');
const MINUTE_MS = 60_000;
/** The last word about a look may take a little longer than the look. */
const MARGIN_MS = 30_000;

/**
 * Collects mails of POP3 accounts while their users use mail: the primary mailbox opens with what they logged in with. One process of
 * all looks at an account at a time, and no more often than the account says.
 */
@Injectable()
export class MailCollection {
  private readonly turns: Turns;
  private readonly running = new Set<Promise<void>>();
  private readonly end = new AbortController();
  /** Looks are no part of the call that starts them: they outlive its deadline. */
  private readonly outside = new AsyncResource('MailCollection');

  constructor(
    private readonly mailboxes: Mailboxes,
    private readonly collector: MailCollector,
    private readonly settings: MailCollectionSettings,
    private readonly process: ProcessSettings,
    @Inject(MAIL_REDIS) private readonly redis: Redis,
  ) {
    this.turns = new Turns(Math.max(1, settings.rounds));
  }

  /** Begins to look at accounts of users who use mail. */
  begin(): void {
    if (this.settings.rounds === 0) return;
    this.mailboxes.onAccounts((request, accounts) => {
      for (const account of accounts) if (isCollected(account)) this.request(request, account);
    });
  }

  /** Ends all looks. */
  async stop(): Promise<void> {
    this.end.abort();
    await Promise.all(this.running);
  }

  private request(request: UserRequest, account: CollectedAccount): void {
    if (this.end.signal.aborted || this.turns.waiting > this.settings.rounds) return;
    const look = this.outside
      .runInAsyncScope(() => this.look(request, account))
      .catch((error: unknown) =>
        log.warn({ error: String(error) }, 'it is not known which accounts are to be looked at'),
      )
      .finally(() => this.running.delete(look));
    this.running.add(look);
  }

  private async look({ principal }: UserRequest, account: CollectedAccount): Promise<void> {
    const { roundMs, pauseMs } = this.settings;
    const { contextId, userId } = principal;
    const key = `${this.process.busPrefix}:mail-collection:{${contextId}:${userId}}:${account.id}`;
    // Whoever writes it looks; it is there until the next look.
    const mayLook = async () => (await this.redis.set(key, '1', 'PX', roundMs + MARGIN_MS, 'NX')) === 'OK';
    if ((await this.redis.exists(key)) === 1) return;
    await this.turns.runInTurn(async () => {
      if (this.end.signal.aborted || !(await mayLook())) return;
      const since = performance.now();
      let everyMs = Math.max(pauseMs, account.pop3.refreshMinutes * MINUTE_MS);
      const signal = AbortSignal.any([this.end.signal, AbortSignal.timeout(roundMs)]);
      const request = { principal, deadline: Date.now() + roundMs, requestId: randomUUID(), signal };
      try {
        const { hasMore } = await this.collector.collect(request, account);
        if (hasMore) everyMs = pauseMs;
      } catch (error) {
        const kind = error instanceof MailFailure ? error.kind : error instanceof CatalogueError ? error.code : 'other';
        mailCollectionMetrics.failures.inc({ kind });
        log.info({ context: contextId, user: userId, account: account.id, kind }, 'mails cannot be collected');
      }
      const restMs = Math.max(pauseMs, everyMs - (performance.now() - since));
      await this.redis.pexpire(key, this.end.signal.aborted ? 1 : Math.round(restMs));
    });
  }
}

const isCollected = (account: MailboxAccess): account is CollectedAccount => account.pop3 !== undefined;
