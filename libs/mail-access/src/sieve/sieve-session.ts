import type { Socket } from 'node:net';
import { OutboundFailure } from '@groupware/outbound';
import { MailFailure } from '../mail-failure';
import { SieveReader, type SieveLimits, type SieveToken } from './sieve-reader';
import { SieveRefusal } from './sieve-refusal';

/** Capabilities of a ManageSieve server (RFC 5804, section 1.7). */
export interface SieveCapabilities {
  /** Extensions of Sieve, in lower case. */
  readonly extensions: ReadonlySet<string>;
  /** Mechanisms of log-in, in upper case. */
  readonly mechanisms: ReadonlySet<string>;
  /** Schemes of notifications, in lower case. */
  readonly notify: readonly string[];
  readonly hasStartTls: boolean;
  /** Undefined: the server does not tell. */
  readonly maxRedirects?: number;
  /** Undefined for a server before RFC 5804. */
  readonly version?: string;
}

/** A script by name. */
export interface ScriptName {
  readonly name: string;
  readonly isActive: boolean;
}

interface Answer {
  readonly lines: readonly (readonly SieveToken[])[];
  /** Response code of OK, such as `WARNINGS`. */
  readonly code: string;
  readonly text: string;
}

/** Most lines of one answer. */
const MAX_LINES = 10_000;

/** A connection to a ManageSieve server (RFC 5804). One command at a time; every command has a time limit. */
export class SieveSession {
  private reader: SieveReader;
  private known: SieveCapabilities | undefined;
  /** Whether a command that changes something was sent, since a caller began to use the session. */
  hasChanged = false;
  /** The end of an answer was not seen. */
  private isBroken = false;

  constructor(
    private socket: Socket,
    private readonly limits: SieveLimits,
    /** Longest time of a command, ms. */
    private readonly timeoutMs: number,
  ) {
    this.reader = new SieveReader(socket, limits);
  }

  /** Capabilities that the server told last. */
  get capabilities(): SieveCapabilities {
    return this.known ?? readCapabilities([]);
  }

  /** Whether a further command can be sent: the connection stands, and nothing came that was not asked for. */
  get isUsable(): boolean {
    return !this.isBroken && !this.reader.hasEnded && !this.reader.hasMore;
  }

  /** Reads what the server says of itself on its own accord: at the start, and after an upgrade. */
  async readGreeting(): Promise<void> {
    this.known = readCapabilities((await this.inTime(() => this.answer())).lines);
  }

  /** @param upgrade secures the connection; the server then says again what it can do */
  async startTls(upgrade: (socket: Socket) => Promise<Socket>): Promise<void> {
    await this.command('STARTTLS');
    // An attacker in between put it there before the upgrade: it must not count as said under TLS.
    if (this.reader.hasMore) throw new OutboundFailure('protocol');
    this.socket = await upgrade(this.reader.release());
    this.reader = new SieveReader(this.socket, this.limits);
    await this.readGreeting();
  }

  /** @param message of the mechanism, base64 @throws SieveRefusal */
  async authenticate(mechanism: string, message: string): Promise<void> {
    this.write(`AUTHENTICATE ${quoted(mechanism)} ${quoted(message)}\r\n`);
    await this.inTime(async () => {
      const first = await this.reader.line();
      // A server that explains its refusal wants an answer before it refuses (RFC 7628, section 3.2.3).
      if (first.length === 1 && first[0]!.kind === 'string') {
        this.write(`${quoted('AQ==')}\r\n`);
        await this.answer();
      } else await this.answer(first);
    });
  }

  /** Asks again what the server can do: of users who are logged in it may say more, such as how often rules may redirect. */
  async readCapabilities(): Promise<SieveCapabilities> {
    this.known = readCapabilities((await this.command('CAPABILITY')).lines);
    return this.known;
  }

  async listScripts(): Promise<readonly ScriptName[]> {
    const { lines } = await this.command('LISTSCRIPTS');
    return lines.map(([name, mark]) => ({ name: name?.value ?? '', isActive: /^ACTIVE$/i.test(mark?.value ?? '') }));
  }

  /** @throws SieveRefusal `NONEXISTENT` */
  async getScript(name: string): Promise<string> {
    const { lines } = await this.command('GETSCRIPT', quoted(name));
    return lines[0]?.[0]?.value ?? '';
  }

  /** Stores a script, in one piece or not at all. @throws SieveRefusal with what is wrong in it, `QUOTA` */
  async putScript(name: string, script: string): Promise<void> {
    await this.change('PUTSCRIPT', quoted(name), counted(script));
  }

  /** @throws SieveRefusal `NONEXISTENT` @param name empty: none is active then */
  async setActive(name: string): Promise<void> {
    await this.change('SETACTIVE', quoted(name));
  }

  /** @throws SieveRefusal `NONEXISTENT`, `ACTIVE` */
  async deleteScript(name: string): Promise<void> {
    await this.change('DELETESCRIPT', quoted(name));
  }

  /** Says goodbye. */
  async close(): Promise<void> {
    await this.command('LOGOUT').catch(() => undefined);
    this.destroy();
  }

  /** Ends the connection without a word. */
  destroy(): void {
    this.socket.on('error', () => undefined);
    this.socket.destroy();
  }

  private change(...words: readonly string[]): Promise<Answer> {
    this.hasChanged = true;
    return this.command(...words);
  }

  private async command(...words: readonly string[]): Promise<Answer> {
    this.write(`${words.join(' ')}\r\n`);
    try {
      return await this.inTime(() => this.answer());
    } catch (error) {
      this.isBroken ||= !(error instanceof SieveRefusal) || error.isFarewell;
      throw error instanceof SieveRefusal ? error : new MailFailure('broken', '', error);
    }
  }

  private write(text: string): void {
    this.socket.write(text, 'utf8');
  }

  private async inTime<T>(work: () => Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.reader.fail(new Error('the server did not answer in time')), this.timeoutMs);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
    }
  }

  private async answer(first?: readonly SieveToken[]): Promise<Answer> {
    const lines: (readonly SieveToken[])[] = [];
    for (let line = first ?? (await this.reader.line()); ; line = await this.reader.line()) {
      const [word, ...rest] = line;
      if (word?.kind === 'atom' && /^(OK|NO|BYE)$/i.test(word.value)) return finish(word.value, rest, lines);
      lines.push(line);
      if (lines.length > MAX_LINES) throw new Error('the answer has too many lines');
    }
  }
}

function finish(word: string, rest: readonly SieveToken[], lines: Answer['lines']): Answer {
  const hasCode = rest[0]?.kind === 'atom' && rest[0].value === '(';
  const end = hasCode ? rest.findIndex(({ kind, value }) => kind === 'atom' && value === ')') : -1;
  const code = hasCode ? (rest[1]?.value ?? '').toUpperCase() : '';
  const text = rest.slice(end + 1).find(({ kind }) => kind === 'string')?.value ?? '';
  if (!/^OK$/i.test(word)) throw new SieveRefusal(code, text, /^BYE$/i.test(word));
  return { lines, code, text };
}

function readCapabilities(lines: Answer['lines']): SieveCapabilities {
  const found = new Map(lines.map(([name, value]) => [(name?.value ?? '').toUpperCase(), value?.value ?? '']));
  const wordsOf = (name: string) => (found.get(name) ?? '').split(/\s+/).filter(Boolean);
  const maxRedirects = Number(found.get('MAXREDIRECTS') ?? NaN);
  const version = found.get('VERSION');
  return {
    extensions: new Set(wordsOf('SIEVE').map((word) => word.toLowerCase())),
    mechanisms: new Set(wordsOf('SASL').map((word) => word.toUpperCase())),
    notify: wordsOf('NOTIFY').map((word) => word.toLowerCase()),
    hasStartTls: found.has('STARTTLS'),
    ...(Number.isInteger(maxRedirects) ? { maxRedirects } : {}),
    ...(version === undefined ? {} : { version }),
  };
}

/** A short string; what quotes cannot hold is counted. */
const quoted = (value: string): string =>
  value.length <= 1000 && !/[\r\n\0]/.test(value) ? `"${value.replace(/[\\"]/g, '\\$&')}"` : counted(value);

const counted = (value: string): string => `{${Buffer.byteLength(value)}+}\r\n${value}`;
