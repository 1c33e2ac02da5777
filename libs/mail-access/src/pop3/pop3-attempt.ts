import type { Socket } from 'node:net';
import { OutboundFailure, type AdmittedTarget, type OutboundGuard } from '@groupware/outbound';
import { MailFailure } from '../mail-failure';
import type { MailCredentials, MailServer } from '../mail-server';
import { tokenMessage } from '../token-message';
import { LineReader } from './line-reader';
import { Pop3Session } from './pop3-session';

/** Longest list of capabilities. */
const MAX_CAPABILITIES = 100;

/** One attempt to log in to a POP3 server (RFC 1939, 2449, 2595, 5034): an object is used once. */
export class Pop3Attempt {
  constructor(
    private readonly guard: OutboundGuard,
    private readonly server: MailServer,
    private readonly credentials: MailCredentials,
  ) {}

  /** Connects to a checked target and logs in. The signal ends the attempt; nothing stays open then. */
  async open(target: AdmittedTarget, signal: AbortSignal): Promise<Pop3Session> {
    let socket: Socket = await this.guard.open(target, signal);
    const abort = () => socket.destroy();
    signal.addEventListener('abort', abort, { once: true });
    try {
      if (this.server.protection === 'tls') socket = await this.guard.secure(socket, target, signal);
      let reader = new LineReader(socket);
      await this.expectOk(reader);
      let secure = this.server.protection === 'tls';
      let capabilities = await this.capabilities(reader, socket);
      if (!secure && (capabilities.has('STLS') || this.server.protection === 'starttls')) {
        if (!(await this.command(reader, socket, 'STLS')).startsWith('+OK')) throw new MailFailure('plain');
        // An attacker in between put it there before the upgrade: it must not count as said under TLS.
        if (reader.hasMore) throw new OutboundFailure('protocol');
        socket = await this.guard.secure(reader.release(), target, signal);
        reader = new LineReader(socket);
        secure = true;
        capabilities = await this.capabilities(reader, socket);
      }
      if (!secure && !this.server.allowPlain) throw new MailFailure('plain');
      await this.logIn(reader, socket, capabilities);
      return new Pop3Session(socket, reader, secure, capabilities);
    } catch (error) {
      socket.on('error', () => undefined).end();
      setTimeout(() => socket.destroy(), 1_000).unref();
      if (signal.aborted) throw new OutboundFailure('timeout', error);
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  private async logIn(reader: LineReader, socket: Socket, capabilities: ReadonlySet<string>): Promise<void> {
    const { login, password = '', accessToken } = this.credentials;
    if (accessToken !== undefined) {
      const mechanism = (['OAUTHBEARER', 'XOAUTH2'] as const).find((name) => capabilities.has(`SASL ${name}`));
      if (!mechanism) throw new MailFailure('authentication', 'XOAUTH2');
      const text = tokenMessage(mechanism, this.server, login, accessToken);
      let answer = await this.command(reader, socket, `AUTH ${mechanism} ${text}`);
      // The server explains the refusal first and wants an empty line, or AQ== (RFC 7628, section 3.2.3).
      if (answer.startsWith('+ ')) answer = await this.command(reader, socket, mechanism === 'XOAUTH2' ? '' : 'AQ==');
      if (!answer.startsWith('+OK')) throw refusal(answer);
      return;
    }
    // A line end would be a command of its own.
    if (/[\r\n]/.test(login + password)) throw new MailFailure('credentials');
    const name = await this.command(reader, socket, `USER ${login}`);
    if (!name.startsWith('+OK')) throw refusal(name);
    const answer = await this.command(reader, socket, `PASS ${password}`);
    if (!answer.startsWith('+OK')) throw refusal(answer);
  }

  private async capabilities(reader: LineReader, socket: Socket): Promise<ReadonlySet<string>> {
    if (!(await this.command(reader, socket, 'CAPA')).startsWith('+OK')) return new Set();
    const found = new Set<string>();
    for (let line = await reader.line(); line !== '.'; line = await reader.line()) {
      const [name = '', ...values] = line.toUpperCase().split(' ');
      found.add(name);
      if (name === 'SASL') for (const value of values) found.add(`SASL ${value}`);
      if (found.size > MAX_CAPABILITIES) throw new OutboundFailure('protocol');
    }
    return found;
  }

  private async command(reader: LineReader, socket: Socket, text: string): Promise<string> {
    reader.nextAnswer();
    socket.write(`${text}\r\n`, 'utf8');
    return reader.line();
  }

  private async expectOk(reader: LineReader): Promise<void> {
    const greeting = await reader.line();
    if (greeting.startsWith('-ERR')) throw new MailFailure('busy');
    if (!greeting.startsWith('+OK')) throw new OutboundFailure('protocol');
  }
}

/** Codes of RFC 2449 and 3206. */
function refusal(answer: string): MailFailure {
  if (/^-ERR \[(IN-USE|SYS\/TEMP|LOGIN-DELAY)/i.test(answer)) return new MailFailure('busy');
  return new MailFailure('credentials');
}
