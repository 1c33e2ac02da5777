import fs from 'node:fs';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { testAuthority } from '@groupware/test-kit';
import { SMTPServer } from 'smtp-server';

/** One part of a mail. */
export interface Part {
  /** By lower-case name, unfolded. */
  readonly headers: Readonly<Record<string, string>>;
  /** The entity as it was sent, head included. */
  readonly raw: string;
  /** The body, transfer encoding undone. */
  readonly body: Buffer;
  readonly parts: readonly Part[];
}

/** A mail that arrived. */
export interface Mail extends Part {
  readonly from: string;
  readonly to: readonly string[];
  readonly isSecure: boolean;
}

/** Reads a MIME entity (RFC 2045, 2046), as far as these tests need it. Bytes are kept as Latin-1 text. */
export function parseEntity(raw: string): Part {
  const end = raw.indexOf('\r\n\r\n');
  const headers: Record<string, string> = {};
  for (const line of raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')) {
    const colon = line.indexOf(':');
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  const text = raw.slice(end + 4);
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '')?.[1];
  const parts = boundary
    ? `\r\n${text}`
        .split(`\r\n--${boundary}`)
        .slice(1, -1)
        .map((part) => parseEntity(part.slice(2)))
    : [];
  const isBase64 = headers['content-transfer-encoding'] === 'base64';
  return { headers, raw, body: Buffer.from(text, isBase64 ? 'base64' : 'latin1'), parts };
}

/** An SMTP server on loopback with STARTTLS and the login `reporter`, `smtp secret`. */
export class Mailbox {
  readonly mails: Mail[] = [];
  /** Recipients that are refused. */
  readonly refused = new Set<string>();
  private readonly folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mailbox-'));
  private readonly server: SMTPServer;

  constructor(authority = testAuthority()) {
    fs.writeFileSync(this.caFile, authority.cert);
    this.server = new SMTPServer({
      ...authority.issue(['127.0.0.1']),
      logger: false,
      onAuth: ({ username, password }, _session, done) =>
        username === 'reporter' && password === 'smtp secret'
          ? done(null, { user: username })
          : done(Object.assign(new Error('refused'), { responseCode: 535 })),
      onRcptTo: ({ address }, _session, done) =>
        done(this.refused.has(address) ? Object.assign(new Error('no such user'), { responseCode: 550 }) : undefined),
      onData: (stream, session, done) => {
        const pieces: Buffer[] = [];
        stream.on('data', (piece: Buffer) => pieces.push(piece));
        stream.on('end', () => {
          const { mailFrom, rcptTo } = session.envelope;
          this.mails.push({
            ...parseEntity(Buffer.concat(pieces).toString('latin1')),
            from: mailFrom ? mailFrom.address : '',
            to: rcptTo.map(({ address }) => address),
            isSecure: session.secure,
          });
          done();
        });
      },
    });
    this.server.on('error', () => undefined);
  }

  get caFile(): string {
    return path.join(this.folder, 'ca.pem');
  }

  /** Begins to listen; answers the port. */
  start(): Promise<number> {
    return new Promise((resolve) => {
      const { server } = this.server;
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
    });
  }

  /** Begins to listen; answers the settings with which the product sends its mails here. */
  async startForProduct(): Promise<Record<string, string>> {
    return {
      OUTGOING_MAIL_HOST: '127.0.0.1',
      OUTGOING_MAIL_PORT: String(await this.start()),
      GROUPWARE_OUTBOUND_ALLOW: '127.0.0.0/8',
      GROUPWARE_OUTBOUND_CA_FILE: this.caFile,
      OUTGOING_MAIL_LOGIN: 'reporter',
      OUTGOING_MAIL_PASSWORD: 'smtp secret',
      OUTGOING_MAIL_FROM: 'noreply@operator.example',
    };
  }

  /** The mails since the last call. */
  take(): Mail[] {
    return this.mails.splice(0);
  }

  close(): Promise<void> {
    fs.rmSync(this.folder, { recursive: true, force: true });
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}
