import type { ContentTask } from './content-task';
import { ContentError, ContentWorkers } from './content-workers';

const bytes = (text: string) => Buffer.from(text);
const html = (text: string, maxLength?: number): ContentTask => ({
  kind: 'sanitizeHtml',
  text: { bytes: bytes(text), charset: 'utf-8' },
  options: { embedded: true },
  ...(maxLength === undefined ? {} : { maxLength }),
});
const reasonOf = (task: Promise<unknown>) =>
  task.then(
    () => 'done',
    (error: unknown) => (error instanceof ContentError ? error.reason : error),
  );

describe('threads for contents of mails', () => {
  let workers: ContentWorkers;
  beforeAll(() => {
    // The bound of the time has a test of its own: here a busy machine may take long.
    workers = new ContentWorkers({ threads: 1, timeoutMs: 60_000, maxHeapMb: 96, maxBytes: 8 * 1024 * 1024 });
  });
  afterAll(() => workers.close());

  it('MH-07 sanitises three megabytes while others are served', async () => {
    const line = '<p style="color:red">Hello <a href="https://x.example/">you</a></p>\n';
    let turns = 0;
    const timer = setInterval(() => turns++, 5);
    const { content } = await workers.runTask(html(line.repeat(45_000)));
    clearInterval(timer);
    expect(content.match(/<a href/g)).toHaveLength(45_000);
    expect(turns).toBeGreaterThan(10);
  });

  it('MH-11 answers for 20,000 elements within each other', async () => {
    const { content } = await workers.runTask(html(`${'<div>'.repeat(20_000)}deep`));
    expect(content).toContain('deep');
    expect(content.match(/<div/g)!.length).toBeLessThan(300);
  });

  it('ends a task that takes too long, and serves the next', async () => {
    const impatient = new ContentWorkers({ threads: 1, timeoutMs: 300 });
    const slow = reasonOf(impatient.runTask(html('<b><i>'.repeat(150_000))));
    const next = reasonOf(impatient.runTask(html('<p>next</p>')));
    expect(await slow).toBe('timeout');
    // A new thread may need longer than this bound to start on a busy machine; it has its own answer all the same.
    expect(['done', 'timeout']).toContain(await next);
    await impatient.close();
  });

  it('ends a task that needs too much memory', async () => {
    const small = new ContentWorkers({ threads: 1, timeoutMs: 60_000, maxHeapMb: 12 });
    expect(await reasonOf(small.runTask(html('<p a="b" class="c d e f g">x'.repeat(250_000))))).toBe('memory');
    await small.close();
  });

  it('refuses what is too large, too much at once, and after its end', async () => {
    const small = new ContentWorkers({ threads: 1, maxBytes: 10, maxQueued: 1 });
    expect(await reasonOf(small.runTask(html('longer than ten')))).toBe('size');
    const running = reasonOf(small.runTask(html('a')));
    const waiting = reasonOf(small.runTask(html('b')));
    expect(await reasonOf(small.runTask(html('c')))).toBe('busy');
    await small.close();
    expect(await Promise.all([running, waiting])).toEqual(['closed', 'closed']);
    expect(await reasonOf(small.runTask(html('d')))).toBe('closed');
  });

  it('cuts HTML before a tag that would not be whole, and closes what is open', async () => {
    const { content, isTruncated } = await workers.runTask(
      html('<p>one <b>two <a href="https://x.example/">three</a>', 22),
    );
    expect(content).toMatch(/^<div id="svc-\w+"><p>one <b>two <\/b><\/p><\/div>$/);
    expect(isTruncated).toBe(true);
  });

  it('MG-19 believes the header about the charset, then the document, then the bytes', async () => {
    const latin = Buffer.from('<meta charset="utf-8"><p>Gr\xfc\xdfe</p>', 'latin1');
    const sanitize = async (text: Buffer, charset?: string) =>
      (
        await workers.runTask({
          kind: 'sanitizeHtml',
          text: { bytes: text, ...(charset ? { charset } : {}) },
          options: {},
        })
      ).content;
    expect(await sanitize(latin, 'iso-8859-1')).toContain('<p>Grüße</p>');
    expect(await sanitize(bytes('<meta charset="iso-8859-1"><p>Grüße</p>'), 'utf-8')).toContain('<p>Grüße</p>');
    expect(await sanitize(Buffer.from('<meta charset="iso-8859-2"><p>\xb1</p>', 'latin1'))).toContain('<p>ą</p>');
    expect(await sanitize(latin, 'x-unheard-of')).toContain('Gr');
    expect(await sanitize(Buffer.from('<p>Gr\xfc\xdfe</p>', 'latin1'), 'utf-8')).toContain('<p>Grüße</p>');
    expect(await sanitize(Buffer.from('<p>Gr\xfc\xdfe</p>', 'latin1'))).toContain('<p>Grüße</p>');
    expect(await sanitize(Buffer.from('\x1b$B%F%9%H\x1b(B', 'latin1'), 'iso-2022-jp')).toContain('テスト');
  });

  it('MG-29 joins lines that flow, and puts texts after one another', async () => {
    const text = { bytes: bytes('one \ntwo\n'), charset: 'utf-8', flowed: true };
    const { content } = await workers.runTask({
      kind: 'textToHtml',
      texts: [text, { ...text, bytes: bytes('> a \n> b') }],
      options: {},
    });
    expect(content).toBe('one two<br>&gt; a b');
  });

  it('makes text of HTML', async () => {
    const { content } = await workers.runTask({
      kind: 'htmlToText',
      text: {
        bytes: bytes(
          '<style>p{}</style><p>Hi&nbsp;<b>you</b>,</p><blockquote>quoted</blockquote><a href="https://x.example/">here</a>',
        ),
      },
    });
    expect(content).toBe('Hi you,\n\n> quoted\n\nhere <https://x.example/>');
  });
});
