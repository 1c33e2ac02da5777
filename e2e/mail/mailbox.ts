import { connect } from 'node:net';
import { TLSSocket } from 'node:tls';
import { ImapFlow } from 'imapflow';
import type { SMTPServerSession } from 'smtp-server';
import { createFixtures, type Fixtures, type TestUser } from '../fixtures';
import { MAIL_PASSWORD, startOutside, type Outside, type OutsideOptions } from '../mail-account/outside';
import { startTestEnvironment, type LocalTestEnvironment } from '../test-environment';

/** The product with a mail server on which U1 of the fixtures has a mailbox. */
export interface MailFixtures {
  readonly outside: Outside;
  readonly world: LocalTestEnvironment;
  readonly cast: Fixtures;
  /** The server that mails leave by. */
  readonly sink: MailSink;
  /** Another client of the mailbox of U1. */
  readonly imap: ImapFlow;
  close(): Promise<void>;
}

/** An SMTP server that keeps what it takes. */
export interface MailSink {
  readonly port: number;
  /** Mails that it took, in their order. */
  readonly mails: SunkMail[];
  /** Codes of refusals: of recipients and of mails to recipients, by address; 0 hangs up after the text. */
  readonly refusals: { readonly recipients: Map<string, number>; readonly mails: Map<string, number> };
  /** Answers to the texts of mails wait for it. */
  hold: Promise<void> | undefined;
  /** How many waited so far. */
  held: number;
}

/** A mail that the server took. */
export interface SunkMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly text: string;
  /** Reports that are wanted of it, and of what; null where nothing was asked for. */
  readonly reports: { readonly ret: string | null; readonly envid: string | null };
  readonly notify: readonly (readonly string[] | undefined)[];
}

/** A mail that a test stores. */
export interface StoredMail {
  readonly subject?: string;
  readonly from?: string;
  readonly headers?: readonly string[];
  readonly text?: string;
  readonly flags?: readonly string[];
  /** ISO 8601. */
  readonly received?: string;
}

/** Differences of an IMAP server from the one of the test. */
export interface ImapChanges {
  /** Status that it answers to a command in place of the server, such as `NO [OVERQUOTA] full`; undefined lets it do it. */
  readonly answer?: (command: string) => string | undefined;
  /** Replaces bytes of the server. */
  readonly rewrite?: (text: string) => string;
  /** Port of another server in clear text. */
  readonly port?: number;
}

/** Starts an IMAP server with the mailboxes of the one of the test that differs from it; answers its port. */
export function startChangedImap(outside: Outside, { answer, rewrite, port }: ImapChanges): Promise<number> {
  const certificate = outside.authority.issue(['mail.test']);
  return outside.peer((socket) => {
    const client = new TLSSocket(socket, { isServer: true, ...certificate });
    const server = connect(port ?? outside.dovecot.imap, '127.0.0.1');
    client.on('data', (bytes: Buffer) => {
      const [, tag, command = ''] = /^(\S+) ([^\r\n]*)/.exec(bytes.toString('latin1')) ?? [];
      const status = answer?.(command);
      if (status === undefined) server.write(bytes);
      else client.write(`${tag} ${status}\r\n`);
    });
    server.on('data', (bytes: Buffer) => {
      const text = bytes.toString('latin1');
      client.write(Buffer.from(rewrite?.(text) ?? text, 'latin1'));
    });
    const end = () => [client, server].forEach((each) => each.destroy());
    for (const each of [client, server]) each.on('error', end).on('close', end);
  });
}

async function startSink(outside: Outside): Promise<MailSink> {
  const sink: MailSink = {
    port: 0,
    mails: [],
    refusals: { recipients: new Map(), mails: new Map() },
    hold: undefined,
    held: 0,
  };
  const { mails, refusals } = sink;
  const refusal = (responseCode: number) => Object.assign(new Error('no'), { responseCode });
  const port = await outside.smtp({
    hideDSN: false,
    onRcptTo: ({ address }: { address: string }, _session: unknown, done: (error?: Error) => void) => {
      const code = refusals.recipients.get(address);
      done(code ? refusal(code) : undefined);
    },
    onData: (
      stream: NodeJS.ReadableStream,
      { envelope }: Pick<SMTPServerSession, 'envelope'>,
      done: (error?: Error | null, reply?: string) => void,
    ) => {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', async () => {
        if (sink.hold) sink.held += 1;
        await sink.hold;
        const to = envelope.rcptTo.map(({ address }) => address);
        const code = refusals.mails.get(to[0]!);
        if (code) return done(refusal(code));
        mails.push({
          from: envelope.mailFrom ? envelope.mailFrom.address : '',
          to,
          reports: { ret: null, envid: null, ...envelope.dsn },
          notify: envelope.rcptTo.map(({ dsn }) => dsn?.notify),
          text: Buffer.concat(parts).toString('latin1'),
        });
        if (code === undefined) done(null, 'taken');
        return undefined;
      });
    },
  });
  return Object.assign(sink, { port });
}

/** Gives a user a mailbox. */
export const provisionMailbox = (
  { cast, outside, sink }: Pick<MailFixtures, 'cast' | 'outside'> & Partial<Pick<MailFixtures, 'sink'>>,
  user: TestUser,
  imap: object,
): Promise<unknown> =>
  cast.admin.expect('PUT', `/admin/v1/contexts/${cast.contextId}/users/${user.userId}/mail-account`, {
    imap: { host: 'mail.test', port: outside.dovecot.imaps, secure: true, ...imap },
    ...(sink ? { smtp: { host: 'mail.test', port: sink.port, secure: false, starttls: true } } : {}),
  });

/** Starts everything. @param variables of the product @param properties of the product's server */
export async function startMail(
  logins: readonly string[] = ['ann', 'bob'],
  variables: Record<string, string> = {},
  options?: OutsideOptions,
  properties: Record<string, string> = {},
): Promise<MailFixtures> {
  const outside = await startOutside(logins, options);
  const sink = await startSink(outside);
  const servers = `imaps://mail.test:${outside.dovecot.imaps},imaps://nowhere.test:1993,smtp://mail.test:${sink.port}`;
  const world = await startTestEnvironment({
    variables: {
      ...outside.variables,
      MAIL_ACCOUNT_GLOBAL_PASSWORD: MAIL_PASSWORD,
      MAIL_ACCOUNT_GLOBAL_PASSWORD_SERVERS: servers,
      ...variables,
    },
    properties: { 'com.example.mail.passwordSource': 'global', ...properties },
  });
  const cast = await createFixtures(world);
  const [first] = logins;
  await provisionMailbox({ cast, outside, sink }, cast.U1, { login: first });
  const imap = new ImapFlow({
    host: '127.0.0.1',
    port: outside.dovecot.imap,
    secure: false,
    doSTARTTLS: false,
    auth: { user: first!, pass: MAIL_PASSWORD },
    logger: false,
  });
  await imap.connect();
  return {
    outside,
    world,
    cast,
    sink,
    imap,
    close: async () => {
      await imap.logout().catch(() => undefined);
      await world.close();
      await outside.close();
    },
  };
}

/** The source of a mail. */
function sourceOf({
  subject = 'none',
  from = 'Ann <ann@mail.test>',
  headers = [],
  text = 'Hello',
}: StoredMail): string {
  const lines = [`From: ${from}`, `Subject: ${subject}`, ...headers, '', text];
  return `${lines.join('\r\n')}\r\n`;
}

/** Stores mails in a folder, which is made when there is none; answers their ids. */
export async function storeMails(imap: ImapFlow, folder: string, mails: readonly StoredMail[]): Promise<string[]> {
  if (folder !== 'INBOX') await imap.mailboxCreate(folder);
  const ids: string[] = [];
  for (const mail of mails) {
    const received = new Date(mail.received ?? Date.UTC(2024, 0, 1, 0, 0, ids.length));
    const made = await imap.append(folder, Buffer.from(sourceOf(mail), 'latin1'), [...(mail.flags ?? [])], received);
    ids.push(String((made as { uid?: number }).uid));
  }
  return ids;
}
