import { startDovecot, type Dovecot } from '@groupware/test-kit';
import { ImapFlow } from 'imapflow';
import { createFixtures, type Fixtures } from '../fixtures';
import { MAIL_PASSWORD, startOutside, type Outside } from '../mail-account/outside';
import { keepOutOfLogs } from '../secrets';
import { startTestEnvironment, type LocalTestEnvironment } from '../test-environment';

/** A mail that left the server: where to, and what it says. */
export interface SentMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly text: string;
}

/** The product with a mail server whose rules it changes. U1 of the fixtures is `ann` there. */
export interface FilterWorld {
  readonly outside: Outside;
  readonly dovecot: Dovecot;
  readonly world: LocalTestEnvironment;
  readonly cast: Fixtures;
  /** Mails that rules sent on. */
  readonly sent: readonly SentMail[];
  /** Delivers a mail to a mailbox by LMTP; answers the folders that hold it then, and its flags. */
  deliver(mail: DeliveredMail): Promise<{ readonly folders: readonly string[]; readonly flags: readonly string[] }>;
  close(): Promise<void>;
}

/** A mail on its way. */
export interface DeliveredMail {
  readonly subject: string;
  readonly from?: string;
  /** Sender and receiver of the envelope. */
  readonly sender?: string;
  readonly login?: string;
  readonly headers?: readonly string[];
  readonly text?: string;
  /** The whole mail, as it came once before; the rest does not count. */
  readonly source?: string;
}

/** Master of the mail server, who may change the rules of all users. */
export const MASTER = { login: 'boss', password: 'a master of the mail server' };

let count = 0;

/** Starts everything. @param properties of the server */
export async function startFilterWorld(properties: Readonly<Record<string, string>> = {}): Promise<FilterWorld> {
  const logins = ['ann', 'bob'];
  const outside = await startOutside([]);
  const sent: SentMail[] = [];
  const submissionPort = await outside.smtp({
    authOptional: true,
    hideSTARTTLS: true,
    onData: (
      stream: NodeJS.ReadableStream,
      session: { envelope: { mailFrom: { address: string } | false; rcptTo: { address: string }[] } },
      done: () => void,
    ) => {
      let text = '';
      stream.on('data', (chunk) => (text += String(chunk)));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        sent.push({ from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address), text });
        done();
      });
    },
  });
  const dovecot = await startDovecot({
    certificate: outside.authority.issue(['mail.test']),
    users: Object.fromEntries(logins.map((login) => [login, MAIL_PASSWORD])),
    sieve: { submissionPort, master: MASTER },
  });
  keepOutOfLogs(MASTER.password);
  const world = await startTestEnvironment({
    variables: {
      ...outside.variables,
      MAIL_ACCOUNT_GLOBAL_PASSWORD: MAIL_PASSWORD,
      MAIL_FILTER_MASTER_LOGIN: MASTER.login,
      MAIL_FILTER_MASTER_PASSWORD: MASTER.password,
      MAIL_FILTER_MASTER_SERVERS: 'mail.test',
      MAIL_ACCOUNT_GLOBAL_PASSWORD_SERVERS: `imaps://mail.test:${dovecot.imaps}`,
    },
    properties: {
      'com.example.mail.passwordSource': 'global',
      'com.example.mail.filter.port': String(dovecot.sieve),
      'com.example.mail.filter.connectionTimeout': '5000',
      ...properties,
    },
  });
  const cast = await createFixtures(world);
  for (const [index, login] of logins.entries()) {
    const user = [cast.U1, cast.U2][index]!;
    await cast.admin.expect('PUT', `/admin/v1/contexts/${cast.contextId}/users/${user.userId}/mail-account`, {
      imap: { host: 'mail.test', port: dovecot.imaps, secure: true, login },
    });
  }
  const clients = new Map<string, ImapFlow>();
  const imapOf = async (login: string): Promise<ImapFlow> => {
    const known = clients.get(login);
    if (known) return known;
    const auth = { user: login, pass: MAIL_PASSWORD };
    const client = new ImapFlow({
      host: '127.0.0.1',
      port: dovecot.imap,
      secure: false,
      doSTARTTLS: false,
      auth,
      logger: false,
    });
    await client.connect();
    clients.set(login, client);
    return client;
  };
  return {
    outside,
    dovecot,
    world,
    cast,
    sent,
    deliver: async ({
      subject,
      from = 'Zoe <zoe@far.test>',
      sender = 'zoe@far.test',
      login = 'ann',
      headers = [],
      text = 'Hello',
      source,
    }) => {
      const id = /^Message-ID: <(.*)>/im.exec(source ?? '')?.[1] ?? `mail-${(count += 1)}@far.test`;
      const known = headers.some((header) => /^to:/i.test(header)) ? [] : [`To: ${login}@mail.test`];
      const lines = [`Message-ID: <${id}>`, `From: ${from}`, `Subject: ${subject}`, ...known, ...headers, '', text];
      await dovecot.receive({ from: sender, to: login }, source ?? lines.join('\r\n'));
      const imap = await imapOf(login);
      const folders: string[] = [];
      const flags: string[] = [];
      for (const { path } of await imap.list()) {
        await imap.mailboxOpen(path);
        const uids = await imap.search({ header: { 'message-id': id } }, { uid: true });
        if (!uids || uids.length === 0) continue;
        folders.push(path);
        for await (const found of imap.fetch(uids, { flags: true }, { uid: true })) flags.push(...found.flags!);
      }
      return { folders: folders.sort(), flags: flags.filter((flag) => flag !== '\\Recent').sort() };
    },
    close: async () => {
      await Promise.all([...clients.values()].map((client) => client.logout().catch(() => undefined)));
      await world.close();
      await dovecot.stop();
      await outside.close();
    },
  };
}
