import type { Socket } from 'node:net';
import { OutboundFailure } from '@groupware/outbound';
import type { AnswerLimits, LineReader } from './line-reader';

/** A mail as a POP3 server lists it. */
export interface Pop3Mail {
  /** Its place in this session. */
  readonly number: number;
  /** Id that it keeps in all sessions (UIDL). */
  readonly uid: string;
  /** Bytes, about. */
  readonly size: number;
}

/** Most mails of a list: so many fit into one folder of mail servers without trouble. */
const MAX_MAILS = 100_000;
const LIST: AnswerLimits = { lineBytes: 4_096, bytes: MAX_MAILS * 100 };
/** Lines of mails that keep to no limit. */
const LONGEST_LINE = 1_048_576;
/** Server that says nothing for so long is gone, ms. */
const SILENCE_MS = 60_000;

/** A POP3 session that is logged in (RFC 1939). */
export class Pop3Session {
  constructor(
    private readonly socket: Socket,
    private readonly reader: LineReader,
    /** True when it is encrypted. */
    readonly secure: boolean,
    /** Capabilities in upper case (RFC 2449); empty when the server does not tell. */
    readonly capabilities: ReadonlySet<string>,
  ) {
    socket.setTimeout(SILENCE_MS, () => socket.destroy());
  }

  /** Mails of the mailbox with ids; those without one are left out. @throws when the server knows no ids */
  async listMails(): Promise<Pop3Mail[]> {
    const sizes = new Map((await this.list('LIST')).map(([number, size]) => [number, Number(size)]));
    const mails: Pop3Mail[] = [];
    for (const [number, uid] of await this.list('UIDL'))
      if (uid) mails.push({ number, uid, size: sizes.get(number) ?? 0 });
    return mails;
  }

  /** Source of a mail. @throws when it has more bytes than `maxBytes` */
  async read({ number }: Pop3Mail, maxBytes: number): Promise<Buffer> {
    await this.ask(`RETR ${number}`, { lineBytes: LONGEST_LINE, bytes: maxBytes + LONGEST_LINE });
    return this.reader.text();
  }

  /** Marks a mail: it is removed when the session is closed. */
  async remove({ number }: Pop3Mail): Promise<void> {
    await this.ask(`DELE ${number}`);
  }

  /** Says goodbye: mails that are marked are gone once the server agrees. */
  async close(): Promise<void> {
    try {
      await this.ask('QUIT');
    } finally {
      this.end();
    }
  }

  /** Ends the connection; nothing is removed then. */
  end(): void {
    this.socket.on('error', () => undefined).end();
    setTimeout(() => this.socket.destroy(), 1_000).unref();
  }

  private async list(command: string): Promise<[number: number, value: string | undefined][]> {
    await this.ask(command, LIST);
    const lines = (await this.reader.text()).toString('latin1').split(/\r?\n/);
    return lines.slice(0, MAX_MAILS).flatMap((line): [number, string | undefined][] => {
      const [, number, value] = /^(\d{1,9})(?: +([\x21-\x7e]{1,1000}))?/.exec(line) ?? [];
      return number === undefined ? [] : [[Number(number), value]];
    });
  }

  private async ask(command: string, limits?: AnswerLimits): Promise<string> {
    this.reader.nextAnswer(limits);
    this.socket.write(`${command}\r\n`);
    const answer = await this.reader.line();
    if (!answer.startsWith('+OK')) throw new OutboundFailure('protocol', new Error(answer.slice(0, 200)));
    return answer;
  }
}
