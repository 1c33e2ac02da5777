import { Readable } from 'node:stream';
import type { SmtpOutcome, SmtpSession, SmtpTransfer } from '@groupware/mail-access';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Logger, Periodic } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { MailFiles } from '../files/mail-files';
import { OutgoingMailConfig } from '../outgoing-mail.config';
import { countMails, watchQueue } from '../outgoing-mail.metrics';
import { MailRepository, type DueMail } from '../persistence/mail.repository';
import { Composer, type MailDraft } from './mail-composer';
import { computeRetryPause } from './retry-pause';
import { SmtpConnector } from './smtp-connector';

const POLL_MS = 1_000;
const SWEEP_MS = 60_000;
const REASON = 'mails of all contexts wait in one queue';
const log = Logger.for('outgoing-mail');

/**
 * Sends queued mails, any number of processes side by side. Before the text of a mail leaves, that is noted; so a mail whose
 * process or connection ended meanwhile is known as `unknown` and never sent a second time.
 */
@Injectable()
export class MailDelivery {
  private readonly rounds = new Periodic(
    () => this.deliverDue(),
    (error) => log.warn({ error: String(error) }, 'mails wait'),
  );
  private sweptAt = 0;

  constructor(
    private readonly database: ModuleDatabase,
    private readonly mails: MailRepository,
    private readonly smtp: SmtpConnector,
    private readonly composer: Composer,
    private readonly files: MailFiles,
    private readonly clock: Clock,
    private readonly config: OutgoingMailConfig,
  ) {}

  /** Begins to work. */
  start(): void {
    const { isConfigured } = this.config;
    if (!isConfigured) log.warn({}, 'no mail server is configured: mails of the system are kept');
    this.rounds.start(POLL_MS);
    watchQueue(async () => {
      const shards = await this.database.acrossShards(REASON, (db) => this.mails.count(db));
      const waiting = shards
        .flat()
        .filter(({ state }) => state !== 'sent' && state !== 'refused' && state !== 'unknown');
      return waiting.reduce((sum, { count }) => sum + count, 0);
    }, isConfigured);
  }

  /** Looks for due mails now. */
  requestRound(): void {
    this.rounds.requestRound();
  }

  /** Ends after the mails under way. */
  stop(): Promise<void> {
    return this.rounds.stop();
  }

  /** Sends what is due on all shards. */
  async deliverDue(): Promise<void> {
    for (const shard of await this.database.shardNames()) await this.deliverShard(shard);
    const now = this.clock.now();
    if (now - this.sweptAt < SWEEP_MS) return;
    this.sweptAt = now;
    await this.database.acrossShards(REASON, (db) => this.mails.removeOld(db, now - this.config.retentionMs));
  }

  private async deliverShard(shard: string): Promise<void> {
    const { connections, batch, isConfigured } = this.config;
    await this.expire(shard);
    if (!isConfigured) {
      const held = await this.database.onShard(shard, REASON, (db) => this.mails.holdDue(db, this.clock.now()));
      if (held > 0) log.warn({ mails: held }, 'mails wait for a mail server to be configured');
      return;
    }
    for (;;) {
      const due = await this.database.onShard(shard, REASON, (db) =>
        this.mails.claimDue(db, this.clock.now(), this.leaseMs, connections * batch),
      );
      const leaseEnd = this.clock.now() + this.leaseMs;
      const shares = Array.from({ length: Math.min(connections, due.length) }, (_, index) =>
        due.filter((_mail, position) => position % connections === index),
      );
      await Promise.all(shares.map((share) => this.deliverShare(share, leaseEnd)));
      if (due.length < connections * batch || this.rounds.isStopped) return;
    }
  }

  /** Long enough for one mail and the log-in before it. */
  private get leaseMs(): number {
    return this.config.timeoutMs * 3 + 10_000;
  }

  private async expire(shard: string): Promise<void> {
    const now = this.clock.now();
    const [unknown, refused] = await this.database.onShard(shard, REASON, async (db) => [
      await this.mails.expireTransfers(db, now),
      await this.mails.expireWaiting(db, now, now - this.config.lifeMs),
    ]);
    countMails('unknown', unknown);
    countMails('refused', refused);
    if (unknown > 0)
      log.error({ mails: unknown }, 'it is not known whether mails were sent: a process ended meanwhile');
    if (refused > 0) log.error({ mails: refused }, 'mails were given up');
  }

  /** Sends mails over one connection. What is not begun in time is taken again when the lease ends. */
  private async deliverShare(share: readonly DueMail[], leaseEnd: number): Promise<void> {
    let session: SmtpSession | undefined;
    try {
      for (const mail of share) {
        if (this.rounds.isStopped || this.clock.now() > leaseEnd - this.config.timeoutMs) return;
        try {
          session ??= await this.smtp.open();
        } catch (error) {
          // The others would fail likewise.
          const reply = error instanceof Error ? error.message : 'no connection';
          for (const waiting of share.slice(share.indexOf(mail))) await this.postpone(waiting, reply);
          return;
        }
        let open: SmtpTransfer['open'];
        try {
          open = await this.prepareText(mail);
        } catch (error) {
          await this.postpone(mail, error instanceof Error ? error.message : 'no files');
          continue;
        }
        const outcome = await session.transfer({
          envelope: { from: this.config.from, to: [mail.address] },
          open,
          beginTransfer: () => this.beginTransfer(mail),
          timeoutMs: this.config.timeoutMs,
        });
        if (outcome.isBroken) session = undefined;
        await this.note(mail, outcome);
      }
    } finally {
      session?.close();
    }
  }

  /** The text of a mail, with those of its files that are still there. */
  private async prepareText(mail: DueMail): Promise<SmtpTransfer['open']> {
    if (mail.files === null) return () => Readable.from([Buffer.from(mail.message, 'latin1')]);
    const files = await this.files.open(mail, mail.files);
    const draft = JSON.parse(mail.message) as MailDraft;
    return () => this.composer.stream(draft, files);
  }

  private beginTransfer(mail: DueMail): Promise<boolean> {
    const leaseEnd = this.clock.now() + this.leaseMs;
    return this.database.transact(mail, (tx) => this.mails.beginTransfer(tx, mail, leaseEnd));
  }

  private async note(mail: DueMail, { state, reply, refusal }: SmtpOutcome): Promise<void> {
    if (state === 'temporary') return this.postpone(mail, reply);
    if (state === 'refused' && refusal === 'size' && mail.files?.length) return this.omitFiles(mail, reply);
    await this.database.transact(mail, (tx) => this.mails.finish(tx, mail, state, reply, this.clock.now()));
    countMails(state);
    if (state !== 'sent') log.warn({ context: mail.contextId, id: mail.id, state }, 'mail not sent');
  }

  private async omitFiles(mail: DueMail, reply: string): Promise<void> {
    await this.database.transact(mail, (tx) => this.mails.omitFiles(tx, mail, reply, this.clock.now()));
    countMails('temporary');
    log.warn({ context: mail.contextId, id: mail.id }, 'mail is too large for the server: it leaves without its files');
  }

  private async postpone(mail: DueMail, reply: string): Promise<void> {
    const again = this.clock.now() + computeRetryPause(mail.attempts, this.config.retryMs);
    await this.database.transact(mail, (tx) => this.mails.postpone(tx, mail, reply, again));
    countMails('temporary');
    log.info({ context: mail.contextId, id: mail.id, attempts: mail.attempts }, 'mail is tried again');
  }
}
