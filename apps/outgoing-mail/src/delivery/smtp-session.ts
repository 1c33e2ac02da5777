import { Readable } from 'node:stream';
import { MailFailure, SmtpAttempt, type SmtpConnection } from '@groupware/mail-access';
import { OutboundGuard, PortList } from '@groupware/outbound';
import { Injectable } from '@nestjs/common';
import { OutgoingMailConfig } from '../outgoing-mail.config';

/** Outcome of handing over one mail. */
export interface TransferOutcome {
  /** `unknown`: the text began to leave, and no reply came. */
  readonly state: 'sent' | 'refused' | 'temporary' | 'unknown';
  /** Code and text of the server, or what broke. */
  readonly reply: string;
  /** The connection cannot be used any more. */
  readonly isBroken: boolean;
}

interface SmtpError extends Error {
  readonly code?: string;
  readonly responseCode?: number;
  readonly response?: string;
}

/** Longest reply that is kept, characters. */
const MAX_REPLY = 200;
/** Errors of the server about the mail, after which it takes the next one. */
const OF_THE_MAIL = new Set(['EENVELOPE', 'EMESSAGE']);
const SERVICE_NOT_AVAILABLE = 421;

const shorten = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').slice(0, MAX_REPLY);

/** One connection to the mail server, over which mails leave one after the other. */
export class SmtpSession {
  constructor(
    private readonly connection: SmtpConnection['connection'],
    private readonly config: OutgoingMailConfig,
  ) {}

  /**
   * Hands over a mail.
   * @param beginTransfer called before the first byte of the text leaves; nothing leaves unless it answers true
   */
  async transfer(to: string, message: string, beginTransfer: () => Promise<boolean>): Promise<TransferOutcome> {
    let hasBegun = false;
    const body = Readable.from(
      (async function* () {
        // Read only once the server has accepted sender and recipient and asked for the text.
        if (!(await beginTransfer())) throw new MailFailure('busy');
        hasBegun = true;
        yield Buffer.from(message, 'latin1');
      })(),
      { objectMode: false },
    );
    let timer: NodeJS.Timeout | undefined;
    try {
      const reply = await new Promise<string>((resolve, reject) => {
        timer = setTimeout(() => reject(new Error('the server took too long')), this.config.timeoutMs);
        this.connection.send({ from: this.config.from, to }, body, (error, info) =>
          error ? reject(error) : resolve(String(info.response)),
        );
      });
      return { state: 'sent', reply: shorten(reply), isBroken: false };
    } catch (error) {
      return this.toOutcome(error as SmtpError, hasBegun);
    } finally {
      clearTimeout(timer);
      body.destroy();
    }
  }

  /** Says goodbye. */
  close(): void {
    this.connection.quit();
  }

  private async toOutcome(error: SmtpError, hasBegun: boolean): Promise<TransferOutcome> {
    const { code = '', responseCode = 0, response, message } = error;
    const reply = shorten(response ?? message);
    if (!OF_THE_MAIL.has(code) || responseCode < 400) {
      this.connection.close();
      return { state: hasBegun ? 'unknown' : 'temporary', reply, isBroken: true };
    }
    const isBroken = responseCode === SERVICE_NOT_AVAILABLE || !(await this.reset());
    return { state: responseCode >= 500 ? 'refused' : 'temporary', reply, isBroken };
  }

  private reset(): Promise<boolean> {
    return new Promise((resolve) => this.connection.reset((error) => resolve(!error)));
  }
}

/** Opens connections to the mail server that the operator configured, through the guard of all connections to elsewhere. */
@Injectable()
export class SmtpConnector {
  constructor(
    private readonly guard: OutboundGuard,
    private readonly config: OutgoingMailConfig,
  ) {}

  /** Connects and logs in. @throws with a message that names no secret */
  async open(): Promise<SmtpSession> {
    const { host, port, protection, login, password, timeoutMs } = this.config;
    const signal = AbortSignal.timeout(timeoutMs);
    const server = { protocol: 'smtp', host, port, protection, allowPlain: protection === 'offered' } as const;
    const credentials = login === '' ? undefined : { login, password: password.reveal() };
    const target = await this.guard.check({ host, port, ports: new PortList([String(port)]) }, signal);
    const { connection } = await new SmtpAttempt(this.guard, server, credentials).open(target, signal);
    return new SmtpSession(connection, this.config);
  }
}
