import { Readable } from 'node:stream';
import { domainToASCII } from 'node:url';
import type { SmtpConnection } from '../smtp-attempt';

/** Envelope of a mail. */
export interface SmtpEnvelope {
  /** Address that failures are reported to; empty for mails that get no answers. */
  readonly from: string;
  readonly to: readonly string[];
  /** Announced to servers that limit it, where it is known. */
  readonly sizeBytes?: number;
  /** Asked of servers that have the extension DSN; the others report failures as they see fit. */
  readonly notification?: DeliveryStatusNotification;
}

/** Reports that are wanted of a mail (RFC 3461); they name its headers, and do not carry its text back. */
export interface DeliveryStatusNotification {
  /** Events that are reported; none: no report at all. */
  readonly of: readonly ('success' | 'failure' | 'delay')[];
  /** Told by the reports, in ASCII. */
  readonly envelopeId?: string;
}

/** Subject of a refusal. */
export type SmtpRefusal = 'sender' | 'recipients' | 'size' | 'mail';

/** Outcome of handing over one mail: to all recipients, or to none. */
export interface SmtpOutcome {
  /**
   * `temporary`: it was not taken now, and may be tried again. `unknown`: the server had it all, and no reply came: it must not
   * be sent again.
   */
  readonly state: 'sent' | 'refused' | 'temporary' | 'unknown';
  /** Code and text of the server, or what broke. */
  readonly reply: string;
  /** The connection cannot be used any more. */
  readonly isBroken: boolean;
  /** Part that the server did not take; absent where the connection was the cause. */
  readonly refusal?: SmtpRefusal;
  /** Recipients that were refused. */
  readonly recipients: readonly string[];
  /** The server did not answer in time. */
  readonly isTimeout: boolean;
}

/** How one mail is handed over. */
export interface SmtpTransfer {
  readonly envelope: SmtpEnvelope;
  /** Opens the text; not called unless the server accepted sender and all recipients. */
  readonly open: () => AsyncIterable<Uint8Array>;
  /** Called before the first byte of the text leaves; nothing leaves unless it answers true. */
  readonly beginTransfer?: () => Promise<boolean>;
  /** Longest time without progress, ms. */
  readonly timeoutMs: number;
}

interface SmtpError extends Error {
  readonly code?: string;
  readonly responseCode?: number;
  readonly response?: string;
  readonly command?: string;
}

/** The library notes in the envelope what the server answered. */
interface NotedEnvelope {
  from: string;
  to: string[];
  size?: number;
  dsn?: { readonly ret: 'HDRS'; readonly envid?: string; readonly notify: string[] };
  rejected?: string[];
  rejectedErrors?: SmtpError[];
}

/** Longest reply that is kept, characters. */
const MAX_REPLY = 200;
/** Errors of the server about the mail, after which it takes the next one. */
const OF_THE_MAIL: ReadonlySet<string> = new Set(['EENVELOPE', 'EMESSAGE']);
const SERVICE_NOT_AVAILABLE = 421;
/** RFC 5321, 1870: too large, for the server or for the mailbox. */
const TOO_LARGE: ReadonlySet<number> = new Set([552, 523]);
const STALLED = 'ESTALLED';
/** RFC 3461, section 4.4: printable ASCII, 100 characters at most; its encoding makes some of them three. */
const ENVELOPE_ID = /^[\x21-\x7e]{1,90}$/;

const shorten = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').slice(0, MAX_REPLY);

/** An address with its domain in ASCII (RFC 5891); the local part stays as it is (RFC 6531). */
function toWire(address: string): string {
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1);
  return at < 0 ? address : `${address.slice(0, at + 1)}${domainToASCII(domain) || domain}`;
}

const toDsn = ({ of, envelopeId }: DeliveryStatusNotification): NonNullable<NotedEnvelope['dsn']> => ({
  ret: 'HDRS',
  ...(envelopeId !== undefined && ENVELOPE_ID.test(envelopeId) ? { envid: envelopeId } : {}),
  notify: of.length > 0 ? [...of] : ['never'],
});

/** One connection to a mail server, over which mails leave one after the other. */
export class SmtpSession {
  constructor(private readonly connection: SmtpConnection['connection']) {}

  /**
   * Hands over a mail to all its recipients: when one of them is refused, it is sent to none. Nothing is ever repeated.
   * @returns the outcome; nothing is thrown
   */
  async transfer({ envelope, open, beginTransfer, timeoutMs }: SmtpTransfer): Promise<SmtpOutcome> {
    const { from, to, sizeBytes, notification } = envelope;
    const noted: NotedEnvelope = {
      from: toWire(from),
      to: to.map(toWire),
      ...(sizeBytes ? { size: sizeBytes } : {}),
      ...(notification ? { dsn: toDsn(notification) } : {}),
    };
    const refused = this.takesAnyAddress ? undefined : refuseNonAscii(noted, to);
    if (refused) return refused;
    let isComplete = false;
    let stalled: (error: Error) => void = () => undefined;
    const timer = setTimeout(
      () => stalled(Object.assign(new Error('the server took too long'), { code: STALLED })),
      timeoutMs,
    );
    const body = Readable.from(
      (async function* () {
        // Read only once the server has accepted the sender and a recipient, and asked for the text.
        if (noted.rejected && noted.rejected.length > 0) throw new Error('recipients were refused');
        if (beginTransfer && !(await beginTransfer())) throw new Error('the transfer was called off');
        for await (const part of open()) {
          timer.refresh();
          yield part;
        }
        timer.refresh();
        // The final dot follows: from here on the server may have taken the mail.
        isComplete = true;
      })(),
      { objectMode: false },
    );
    try {
      const reply = await new Promise<string>((resolve, reject) => {
        stalled = reject;
        this.connection.send(noted, body, (error, info) => (error ? reject(error) : resolve(String(info.response))));
      });
      return { state: 'sent', reply: shorten(reply), isBroken: false, recipients: [], isTimeout: false };
    } catch (error) {
      return await this.toOutcome(error as SmtpError, noted, isComplete);
    } finally {
      clearTimeout(timer);
      body.destroy();
    }
  }

  /** Whether the server takes addresses that are not in ASCII; the library does not show it, and would send them to any. */
  private get takesAnyAddress(): boolean {
    const extensions: unknown = Reflect.get(this.connection, '_supportedExtensions');
    return Array.isArray(extensions) && extensions.includes('SMTPUTF8');
  }

  /** Says goodbye. */
  close(): void {
    this.connection.quit();
  }

  private async toOutcome(error: SmtpError, noted: NotedEnvelope, isComplete: boolean): Promise<SmtpOutcome> {
    // Without a sender there are no recipients: servers refuse those that were sent along, too.
    const isOfSender = /^MAIL/.test(error.command ?? '');
    const [rejected] = isOfSender ? [] : (noted.rejectedErrors ?? []);
    const recipients = rejected ? [...(noted.rejected ?? [])] : [];
    const { code = '', responseCode = 0, response, message } = rejected ?? error;
    const reply = shorten(response ?? message);
    if (rejected || (OF_THE_MAIL.has(code) && responseCode >= 400)) {
      // A text that was asked for and not sent leaves the connection within it.
      const isOpen =
        OF_THE_MAIL.has(error.code ?? '') && responseCode !== SERVICE_NOT_AVAILABLE && (await this.reset());
      if (!isOpen) this.connection.close();
      return {
        state: isFinal(rejected ? (noted.rejectedErrors ?? []) : [error]) ? 'refused' : 'temporary',
        reply,
        isBroken: !isOpen,
        refusal: rejected ? 'recipients' : refusalOf(error),
        recipients,
        isTimeout: false,
      };
    }
    this.connection.close();
    return {
      state: isComplete ? 'unknown' : 'temporary',
      reply,
      isBroken: true,
      recipients,
      isTimeout: code === STALLED || code === 'ETIMEDOUT',
    };
  }

  private reset(): Promise<boolean> {
    return new Promise((resolve) => this.connection.reset((error) => resolve(!error)));
  }
}

const NON_ASCII = /[\u0080-\uffff]/;

/** The outcome of a mail whose addresses the server must not hear (RFC 6531, section 3.2). */
function refuseNonAscii(noted: NotedEnvelope, to: readonly string[]): SmtpOutcome | undefined {
  const isOfSender = NON_ASCII.test(noted.from);
  const recipients = isOfSender ? [] : to.filter((_address, at) => NON_ASCII.test(noted.to[at]!));
  if (!isOfSender && recipients.length === 0) return undefined;
  return {
    state: 'refused',
    reply: 'the server takes no addresses that are not in ASCII',
    isBroken: false,
    refusal: isOfSender ? 'sender' : 'recipients',
    recipients,
    isTimeout: false,
  };
}

const isFinal = (errors: readonly SmtpError[]): boolean => errors.some(({ responseCode = 0 }) => responseCode >= 500);

function refusalOf({ responseCode = 0, command = '' }: SmtpError): SmtpRefusal {
  if (TOO_LARGE.has(responseCode)) return 'size';
  return /^MAIL/.test(command) ? 'sender' : /^RCPT/.test(command) ? 'recipients' : 'mail';
}
