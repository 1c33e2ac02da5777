import { ImapFlow } from 'imapflow';
import { createFixtures, type Fixtures, type TestUser } from '../fixtures';
import { MAIL_PASSWORD, startOutside, type Outside } from '../mail-account/outside';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

/** The product with a mail server on which U1 of the fixtures has a mailbox. */
export interface MailFixtures {
  readonly outside: Outside;
  readonly world: TestEnvironment;
  readonly cast: Fixtures;
  /** Another client of the mailbox of U1. */
  readonly imap: ImapFlow;
  close(): Promise<void>;
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

/** Gives a user a mailbox. */
export const provisionMailbox = (
  { cast, outside }: Pick<MailFixtures, 'cast' | 'outside'>,
  user: TestUser,
  imap: object,
): Promise<unknown> =>
  cast.admin.expect('PUT', `/admin/v1/contexts/${cast.contextId}/users/${user.userId}/mail-account`, {
    imap: { host: 'mail.test', port: outside.dovecot.imaps, secure: true, ...imap },
  });

/** Starts everything. @param variables of the product */
export async function startMail(
  logins: readonly string[] = ['ann', 'bob'],
  variables: Record<string, string> = {},
  quotaKib?: number,
): Promise<MailFixtures> {
  const outside = await startOutside(logins, quotaKib);
  const servers = `imaps://mail.test:${outside.dovecot.imaps},imaps://nowhere.test:1993`;
  const world = await startTestEnvironment({
    variables: {
      ...outside.variables,
      MAIL_ACCOUNT_GLOBAL_PASSWORD: MAIL_PASSWORD,
      MAIL_ACCOUNT_GLOBAL_PASSWORD_SERVERS: servers,
      ...variables,
    },
    properties: { 'com.example.mail.passwordSource': 'global' },
  });
  const cast = await createFixtures(world);
  const [first] = logins;
  await provisionMailbox({ cast, outside }, cast.U1, { login: first });
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
    imap,
    close: async () => {
      await imap.logout().catch(() => undefined);
      await world.close();
      await outside.close();
    },
  };
}

/** The source of a mail. */
export function sourceOf({
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
