import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { forEachAtOnce } from '@groupware/test-kit';
import PostalMime, { type Address } from 'postal-mime';
import { generateMail, type GeneratedMail } from './generated-mails';
import { startMail, type MailFixtures } from './mailbox';

/** Mails that are made; more by hand. */
const MAILS = Number(process.env.E2E_GENERATED_MAILS ?? 60);
/** Folder with further ones, as files with the ending `eml`. */
const COLLECTION = process.env.E2E_COLLECTED_MAILS;
const FOLDER = 'default0/Generated';
const AT_ONCE = 4;

let at: MailFixtures;
/** Mails by their id. */
const stored = new Map<string, GeneratedMail & { readonly name: string }>();

beforeAll(async () => {
  at = await startMail(['ann'], { MAIL_CONTENT_TIMEOUT_MS: '60000' });
  await at.imap.mailboxCreate('Generated');
  const store = async (name: string, mail: GeneratedMail) => {
    if (mail.source.length === 0) return;
    const made = await at.imap.append('Generated', mail.source);
    stored.set(String((made as { uid?: number }).uid), { ...mail, name });
  };
  for (let number = 0; number < MAILS; number++) await store(`number ${number}`, generateMail(number));
  for (const file of COLLECTION ? readdirSync(COLLECTION, { recursive: true, encoding: 'utf8' }).sort() : [])
    if (file.endsWith('.eml'))
      await store(file, { source: readFileSync(path.join(COLLECTION!, file)), damage: 'unknown' });
}, 600_000);
afterAll(() => at?.close());

/** Works on all mails, some at a time, and tells which failed. */
async function checkAll(check: (id: string, mail: GeneratedMail) => Promise<unknown>): Promise<void> {
  const failed: string[] = [];
  await forEachAtOnce(AT_ONCE, stored, async ([id, mail]) => {
    const problem = await check(id, mail).catch((error: unknown) => String(error));
    if (problem !== undefined) failed.push(`${mail.name} (${mail.damage ?? 'sound'}): ${JSON.stringify(problem)}`);
  });
  expect(failed).toEqual([]);
}
/** The problem of an answer that ought to be one with data; undefined for such a one. */
const problemOf = ({ status }: Response, answer: any): unknown =>
  status === 200 && answer.error === undefined && answer.data ? undefined : { status, ...answer };
async function ask(parameters: object): Promise<{ problem: unknown; data: any }> {
  const { U1 } = at.cast;
  const response = await U1.fetch('GET', '/mail', { session: U1.session, folder: FOLDER, ...parameters });
  const answer: any = await response.json();
  return { problem: problemOf(response, answer), data: answer.data };
}
const lines = (text: string | null | undefined): string => (text ?? '').replace(/\r\n/g, '\n').trimEnd();
const addresses = (list: readonly Address[] = []): string[] => list.map(({ address }) => address ?? '');
/** Parts of a mail on which two readers have to agree. */
interface Gist {
  readonly subject: string;
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly text: string;
  readonly html: string;
  readonly files: readonly string[];
  readonly nested: number;
}
const fileOf = (name: unknown, type: unknown, bytes: unknown) => `${String(name)} ${String(type)} ${String(bytes)}`;

/** A mail as an independent reader has it. */
async function readElsewhere(source: Buffer): Promise<Gist> {
  const mail = await PostalMime.parse(source, { forceRfc822Attachments: true });
  const isNested = ({ mimeType }: { mimeType: string }) => mimeType === 'message/rfc822';
  return {
    subject: mail.subject ?? '',
    from: addresses(mail.from && [mail.from]),
    to: addresses(mail.to),
    text: lines(mail.text),
    html: lines(mail.html),
    files: mail.attachments
      .filter((each) => !isNested(each))
      .map(({ filename, mimeType, content }) => fileOf(filename, mimeType, (content as ArrayBuffer).byteLength)),
    nested: mail.attachments.filter(isNested).length,
  };
}

/** A mail as the product tells it. */
async function readHere(id: string): Promise<Gist> {
  const { data } = await ask({ action: 'get', id, view: 'raw', unseen: true, exact_length: true });
  const parts: any[] = data.attachments ?? [];
  const textOf = (type: string) =>
    lines(parts.find(({ content_type, content }) => content_type === type && content !== null)?.content);
  const ofAddresses = (list: [unknown, string][] = []) => list.map(([, address]) => address);
  return {
    subject: data.subject ?? '',
    from: ofAddresses(data.from),
    to: ofAddresses(data.to),
    text: textOf('text/plain'),
    html: textOf('text/html'),
    files: parts
      .filter(({ content }) => content === null)
      .map(({ filename, content_type, size }) => fileOf(filename, content_type, size)),
    nested: (data.nested_msgs ?? []).length,
  };
}

describe(`${MAILS} mails, half of them broken`, () => {
  it('are all listed, in every order', async () => {
    const columns = '600,601,602,603,604,605,606,607,608,609,610,611,613,614,652,656,661,663';
    for (const [sort, order] of [
      [610, 'desc'],
      [607, 'asc'],
      [603, 'asc'],
      [609, 'desc'],
      [608, 'asc'],
    ] as const) {
      const { problem, data } = await ask({ action: 'all', columns, sort, order });
      expect(problem).toBeUndefined();
      expect(data.map(([id]: [string]) => id).sort()).toEqual([...stored.keys()].sort());
    }
    const threads = await ask({ action: 'threadedAll', columns, sort: 610, order: 'desc', includeSent: false });
    expect(threads.problem).toBeUndefined();
    const ids = threads.data.flatMap(({ thread }: any) => thread.map(({ id }: { id: string }) => id));
    expect(ids.sort()).toEqual([...stored.keys()].sort());
  }, 120_000);

  it('are all opened, in every view, and answered', async () => {
    await checkAll(async (id) => {
      for (const view of ['noimg', 'text', 'raw']) {
        const { problem } = await ask({ action: 'get', id, view, unseen: true });
        if (problem) return { view, problem };
      }
      const { problem } = await ask({ action: 'reply', id });
      return problem;
    });
  }, 1_800_000);

  it('say what an independent reader finds in them, where nothing is broken', async () => {
    let compared = 0;
    await checkAll(async (id, { source, damage }) => {
      if (damage !== undefined) return undefined;
      compared += 1;
      const [here, elsewhere] = [await readHere(id), await readElsewhere(source)];
      return JSON.stringify(here) === JSON.stringify(elsewhere) ? undefined : { here, elsewhere };
    });
    expect(compared).toBeGreaterThanOrEqual(Math.floor(MAILS / 2));
  }, 1_800_000);
});
