import { MailErrors, mailSending, type CallOf, type Handler } from '@groupware/contracts';
import { composeReceipt, findOwnRecipient, MailHeaders, readRecipients } from '@groupware/mail-content';
import { Clock, Handles } from '@groupware/service-kit';
import { Mailboxes } from '../accounts/mailboxes';
import { toMailFolderId } from '../domain/mail-folder';
import { requirePlace, type MailPlace } from '../domain/mail-path';
import { toSendingError } from '../sending/mail-sending';
import { MailTransport } from '../sending/mail-transport';
import { SendingSettings } from '../sending/sending-settings';
import { Senders } from '../sending/senders';

type ReceiptCall = CallOf<typeof mailSending.receipt_ack>;

const SENT = '$MDNSent';

/** `receipt_ack`: tells the author that a mail was displayed, once. */
@Handles(mailSending.receipt_ack)
export class ReceiptAckHandler implements Handler<typeof mailSending.receipt_ack> {
  constructor(
    private readonly mailboxes: Mailboxes,
    private readonly senders: Senders,
    private readonly transport: MailTransport,
    private readonly settings: SendingSettings,
    private readonly clock: Clock,
  ) {}

  async handle(call: ReceiptCall): Promise<object> {
    const { body } = call;
    const place = requirePlace(body.folder, body.id);
    try {
      const headers = await this.readHeaders(call, place);
      const [recipient] = headers.getAddresses('disposition-notification-to');
      if (!recipient) throw MailErrors.notPermitted('no receipt was asked for');
      const [to] = readRecipients('to', [recipient]);
      const own = findOwnRecipient(headers, await this.senders.listAddresses(call));
      const sender = await this.senders.resolveSender(call, body.from ? readRecipients('from', body.from)[0] : own);
      const source = await composeReceipt({
        from: sender.from,
        to: to![1],
        headers,
        date: new Date(this.clock.now()),
        userAgent: this.settings.userAgent,
      });
      // Marked before: a receipt that is asked for twice at the same time leaves once.
      await this.mark(call, place, 'add');
      try {
        // RFC 8098, section 3: with an empty sender, lest failures are answered.
        const envelope = { from: '', to: [to![1]], notification: { of: [] } };
        await this.transport.sendMail(call, sender.account, envelope, () => bytesOf(source));
      } catch (error) {
        await this.mark(call, place, 'remove').catch(() => undefined);
        throw error;
      }
      return {};
    } catch (error) {
      throw toSendingError(error);
    }
  }

  /** @throws MSG-0032, MSG-0095 when a receipt was sent already */
  private readHeaders(call: ReceiptCall, { folder, uid }: MailPlace): Promise<MailHeaders> {
    return this.mailboxes.useFolder(call, folder, { repeatable: true }, async ({ session }) => {
      const [found] = await session.fetch([uid], { uid: true, flags: true, headers: true });
      if (!found) throw MailErrors.notFound(uid, toMailFolderId(folder));
      if (found.flags?.has(SENT)) throw MailErrors.notPermitted('a receipt was sent already');
      return new MailHeaders(found.headers);
    });
  }

  private mark(call: ReceiptCall, { folder, uid }: MailPlace, action: 'add' | 'remove'): Promise<void> {
    return this.mailboxes.useFolder(call, folder, {}, ({ session }) => session.store([uid], action, [SENT]));
  }
}

async function* bytesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
