import { randomUUID } from 'node:crypto';
import {
  OutgoingMailErrors,
  type MailOutcome,
  type MailRecipient,
  type MailTemplate,
  type MailValues,
} from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Clock, pauseAfterTurn } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { Composer, type MailEnvelope } from './delivery/mail-composer';
import { MailDelivery } from './delivery/mail-delivery';
import type { MailFile } from './files/mail-files';
import { OutgoingMailConfig } from './outgoing-mail.config';
import { MailRepository, type NewMail } from './persistence/mail.repository';
import { writeMailText } from './templates/mail-text';

/** Mails of one template to several recipients. */
export interface MailOrder {
  /** Unique in the context: with the same key an address gets one mail. */
  readonly key: string;
  readonly template: MailTemplate;
  readonly values: MailValues;
  readonly recipients: readonly MailRecipient[];
  readonly replyTo?: string;
  /** For whom the mails speak, where that is not the system. */
  readonly from?: MailEnvelope['from'];
  readonly calendar?: MailEnvelope['calendar'];
  /** Files that they carry. */
  readonly files?: readonly MailFile[];
}

/** Mails of about so many characters are stored with one statement: an invitation of a thousand has a thousand long ones. */
const CHARACTERS_AT_ONCE = 256 * 1024;

/** Puts mails into the queue. */
@Injectable()
export class MailQueue {
  constructor(
    private readonly mails: MailRepository,
    private readonly composer: Composer,
    private readonly delivery: MailDelivery,
    private readonly clock: Clock,
    private readonly config: OutgoingMailConfig,
  ) {}

  /** Writes the mails of an order: a text for each language, a mail for each address. */
  async compose({ key, template, values, recipients, files = [], ...order }: MailOrder): Promise<NewMail[]> {
    const date = this.clock.now();
    const mails = new Map<string, NewMail>();
    const texts = new Map<string, ReturnType<typeof writeMailText>>();
    for (const recipient of recipients) {
      const address = recipient.address.toLowerCase();
      if (mails.has(address)) continue;
      const turn = pauseAfterTurn();
      if (turn) await turn;
      const text = texts.get(recipient.locale) ?? writeMailText(template, values, recipient.locale);
      texts.set(recipient.locale, text);
      const envelope = { ...order, to: recipient, date };
      const content =
        files.length > 0
          ? { message: JSON.stringify(this.composer.createDraft(envelope, text)), files }
          : { message: await this.composer.compose(envelope, text) };
      mails.set(address, { id: randomUUID(), key, address, template, ...content });
    }
    return [...mails.values()];
  }

  /** Stores mails that leave after the commit; those that are known by key and address stay one. @throws OML-9001 */
  async enqueue(tx: Transaction, mails: readonly NewMail[]): Promise<void> {
    if (mails.length === 0) return;
    const { perMinute, maxQueued, isConfigured } = this.config;
    await this.mails.lockAllowance(tx);
    if ((await this.mails.countWaiting(tx)) + mails.length > maxQueued) throw OutgoingMailErrors.queueFull(maxQueued);
    const rate = { intervalMs: Math.ceil(60_000 / perMinute), burst: perMinute };
    const [state, now] = [isConfigured ? 'queued' : 'notConfigured', this.clock.now()] as const;
    for (const some of splitByLength(mails)) {
      const turn = pauseAfterTurn();
      if (turn) await turn;
      await this.mails.insert(tx, some, state, now, rate);
    }
    tx.afterCommit(() => this.delivery.requestRound());
  }

  /** Outcomes in the order of the recipients. */
  async listOutcomes(
    db: Parameters<MailRepository['findStates']>[0],
    { key, recipients }: Pick<MailOrder, 'key' | 'recipients'>,
  ): Promise<MailOutcome[]> {
    const states = await this.mails.findStates(db, key);
    return recipients.map(({ address }) => ({ address, state: states.get(address.toLowerCase()) ?? 'queued' }));
  }
}

function* splitByLength(mails: readonly NewMail[]): Generator<readonly NewMail[]> {
  let part: NewMail[] = [];
  let length = 0;
  for (const mail of mails) {
    if (part.length > 0 && length + mail.message.length > CHARACTERS_AT_ONCE) {
      yield part;
      part = [];
      length = 0;
    }
    part.push(mail);
    length += mail.message.length;
  }
  yield part;
}
