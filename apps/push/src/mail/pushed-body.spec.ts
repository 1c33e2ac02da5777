import { isCatalogueError, PushErrors } from '@groupware/contracts';
import fc from 'fast-check';
import { PushedBody } from './pushed-body';

async function* cut(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(text: string | Buffer, size = 7) {
  const body = new PushedBody(cut(Buffer.from(text as string), size));
  const parts: Buffer[] = [];
  for await (const part of body.mail()) parts.push(part);
  return { mail: Buffer.concat(parts).toString(), members: body.members };
}

describe('the body of a pushed mail', () => {
  it('is read whatever stands around the mail and wherever the pieces end', async () => {
    const text =
      '{"event":"messageNew","extra":{"body":["}",1]}, "body" : "a\\r\\n\\"\\\\\\u00e9 ü" ,"folder":"INBOX"}';
    for (let size = 1; size < 12; size++)
      expect(await read(text, size)).toMatchObject({
        mail: 'a\r\n"\\é ü',
        members: { event: 'messageNew', folder: 'INBOX' },
      });
  });

  it('gives back every text, in any form of escapes', async () => {
    const asEscapes = (mail: string) =>
      [...Array(mail.length).keys()].map((at) => `\\u${mail.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.constantFrom('a', '\\', '"', '\n', 'é', '😊', 'u', 'd83d', '\u0000') }),
        fc.integer({ min: 1, max: 9 }),
        async (mail, size) => {
          expect((await read(JSON.stringify({ body: mail, folder: 'x' }), size)).mail).toBe(mail);
          expect((await read(`{"folder":"x","body":"${asEscapes(mail)}"}`, size)).mail).toBe(mail);
        },
      ),
      { numRuns: Number(process.env.PROPERTY_RUNS ?? 100) },
    );
  });

  it('never goes on with what is no JSON, as the platform sees it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: fc.constantFrom(...'{}[]":,\\ ab1'), maxLength: 20 }), async (inner) => {
        const text = `{"body":"x"${inner}}`;
        const isJson = (() => {
          try {
            JSON.parse(text);
            return true;
          } catch {
            return false;
          }
        })();
        const taken = await read(text, 3).then(
          () => true,
          (error: unknown) => {
            if (isCatalogueError(error, PushErrors.badMail)) return false;
            throw error;
          },
        );
        if (taken) expect(isJson).toBe(true);
      }),
      { numRuns: Number(process.env.PROPERTY_RUNS ?? 200) },
    );
  });

  it.each([
    ['', 'no JSON object'],
    ['[]', 'no JSON object'],
    ['null', 'no JSON object'],
    ['{', 'no JSON object'],
    ['{"body":"a"', 'no JSON object'],
    ['{"body":"a', 'no JSON object'],
    ['{"body":"a\nb"}', 'no JSON object'],
    ['{"body":"\\x"}', 'no JSON object'],
    ['{"body":"a"} x', 'no JSON object'],
    ['{"folder":"x"}', 'the member body is missing'],
    ['{"body":null}', 'the member body is missing'],
    ['{"body":{"body":"x"}}', 'the member body is missing'],
    ['["body","x"]', 'no JSON object'],
    ['{"body":"a","body":"b"}', 'two members body'],
  ])('%j is refused: %s', async (text, reason) => {
    await expect(read(text, 5_000)).rejects.toMatchObject({ params: [reason] });
  });

  it('keeps little of what stands beside the mail', async () => {
    await expect(read(`{"x":"${'x'.repeat(70_000)}","body":""}`, 5_000)).rejects.toMatchObject({
      params: ['too much beside the mail'],
    });
  });

  it('refuses bytes that are no text', async () => {
    await expect(read(Buffer.from([...Buffer.from('{"body":"'), 0xff, ...Buffer.from('"}')]))).rejects.toMatchObject({
      params: ['not UTF-8'],
    });
  });
});
