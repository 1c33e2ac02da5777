import { MAIL_STATES, outgoingMail, type Handler, type MailState, type OutgoingMailState } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { OutgoingMailConfig } from '../outgoing-mail.config';
import { MailRepository } from '../persistence/mail.repository';

const FINAL: ReadonlySet<MailState> = new Set(['sent', 'refused', 'unknown']);

/** `getState`: tells operators how many mails are in which state. */
@Handles(outgoingMail.getState)
export class GetStateHandler implements Handler<typeof outgoingMail.getState> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly mails: MailRepository,
    private readonly config: OutgoingMailConfig,
  ) {}

  async handle(): Promise<OutgoingMailState> {
    const { host, port, isConfigured } = this.config;
    const shards = await this.database.acrossShards('operators ask for all mails', (db) => this.mails.count(db));
    const counts = shards.flat();
    const sum = (state: MailState): number =>
      counts.reduce((total, entry) => total + (entry.state === state ? entry.count : 0), 0);
    const waiting = counts.filter(({ state }) => !FINAL.has(state)).map(({ oldest }) => Number(oldest));
    return {
      configured: isConfigured,
      ...(host === '' ? {} : { server: `${host}:${port}` }),
      ...(Object.fromEntries(MAIL_STATES.map((state) => [state, sum(state)])) as Record<MailState, number>),
      ...(waiting.length > 0 ? { oldest: Math.min(...waiting) } : {}),
    };
  }
}
