import fc from 'fast-check';
import { cutUuencoded, decodeUuencoded, findUuencoded, MAX_UUENCODED } from './uuencode';
import { uuencode } from './testing/messages';

const decode = (...from: Parameters<typeof decodeUuencoded>) => Buffer.concat([...decodeUuencoded(...from)]);

const find = (text: string | Buffer, charset?: string) => findUuencoded(Buffer.from(text), charset);
/** Names and contents of the files of a text, and what is left of it. */
function takeFiles(text: string) {
  const bytes = Buffer.from(text, 'latin1');
  const blocks = findUuencoded(bytes);
  return {
    files: blocks.map((block) => [block.filename, decode(bytes, block).toString('latin1')]),
    text: cutUuencoded(bytes, blocks).toString('latin1'),
  };
}

describe('uuencoded files in a text', () => {
  it('are decoded in pieces, as large ones would hold up others', () => {
    const content = 'abc\u00ff'.repeat(700_000);
    const bytes = Buffer.from(uuencode('large.bin', content), 'latin1');
    const pieces = [...decodeUuencoded(bytes, findUuencoded(bytes)[0]!)];
    expect(Buffer.concat(pieces).equals(Buffer.from(content, 'latin1'))).toBe(true);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(1024 * 1024);
  });

  it('are found and cut out', () => {
    // As `uuencode` writes it.
    const cat = 'begin 644 cat.txt\r\n#0V%T\r\n`\r\nend\r\n';
    expect(takeFiles(`Hi\r\n${cat}Bye\r\n`)).toEqual({ files: [['cat.txt', 'Cat']], text: 'Hi\r\nBye\r\n' });
    expect(takeFiles(`${cat}${uuencode('b c.bin', 'x'.repeat(100))}`)).toEqual({
      files: [
        ['cat.txt', 'Cat'],
        ['b c.bin', 'x'.repeat(100)],
      ],
      text: '',
    });
  });

  it('may lack what mailers drop', () => {
    for (const block of ['#0V%T\n \nend', '#0V%T\n\nend  ', '#0V%T\nend', '!00\n`\nend', '#0V%T!\n`\nend'])
      expect(takeFiles(`begin 0600 c\n${block}`)).toMatchObject({
        files: [['c', block.startsWith('!') ? 'A' : 'Cat']],
        text: '',
      });
    expect(takeFiles('begin 644 empty\n`\nend\n').files).toEqual([['empty', '']]);
  });

  it('stay text when they are not whole', () => {
    for (const text of [
      'begin 644 a\n#0V%T\n`\n',
      'begin 644 a\n#0V%T\n`\nen',
      'begin 644 a\n#0V%\n`\nend\n',
      'begin 644 a\n#0V%T and more\n`\nend\n',
      'begin 644 a\n#0V%T\n`\n#0V%T\nend\n',
      'begin 644 a\nplain words\nend\n',
      'begin 644 \n#0V%T\n`\nend\n',
      'begin 9 a\n#0V%T\n`\nend\n',
      'begin at the\nend\n',
      '> begin 644 a\n#0V%T\n`\nend\n',
      `begin 644 ${'a'.repeat(400)}\n#0V%T\n\`\nend\n`,
    ])
      expect(takeFiles(text)).toEqual({ files: [], text });
    expect(takeFiles(`begin 644 a\n#0V%T\n${uuencode('b', 'x')}rest`)).toEqual({
      files: [['b', 'x']],
      text: 'begin 644 a\n#0V%T\nrest',
    });
  });

  it('have names in the charset of the text', () => {
    expect(find(uuencode('Grüße', 'x'))[0]!.filename).toBe('Grüße');
    expect(find(Buffer.from(uuencode('Grüße', 'x'), 'latin1'), 'iso-8859-1')[0]!.filename).toBe('Grüße');
  });

  it('are no more than a mail may have', () => {
    const { files, text } = takeFiles(uuencode('a', 'x').repeat(MAX_UUENCODED + 2));
    expect(files).toHaveLength(MAX_UUENCODED);
    expect(text).toBe(uuencode('a', 'x').repeat(2));
  });

  it('are what was written, whatever stands around them', () => {
    const line = fc.string({ unit: 'binary-ascii', maxLength: 30 }).map((text) => `.${text.replaceAll('\n', '')}\n`);
    const content = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('latin1'));
    fc.assert(
      fc.property(fc.array(fc.tuple(line, content), { maxLength: 5 }), line, (parts, last) => {
        const text = parts.map(([before, bytes], at) => before + uuencode(`${at}`, bytes)).join('') + last;
        expect(takeFiles(text)).toEqual({
          files: parts.map(([, bytes], at) => [`${at}`, bytes]),
          text: parts.map(([before]) => before).join('') + last,
        });
      }),
    );
  });

  it('lose no byte of a text that is damaged', () => {
    const pieces = fc.constantFrom('begin 644 a\n', 'begin ', '#0V%T\n', '`\n', 'end\n', '\r\n', '\n', 'x', 'M', ' ');
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
        const bytes = Buffer.from(parts.join(''));
        const blocks = findUuencoded(bytes);
        const cut = blocks.reduce((sum, { start, end }) => sum + end - start, 0);
        expect(cutUuencoded(bytes, blocks)).toHaveLength(bytes.length - cut);
        for (const block of blocks) expect(decode(bytes, block)).toHaveLength(block.size);
      }),
    );
  });

  it('are looked for once in each line', () => {
    // Each line begins a file that never ends: a search that went on to the end from each of them would take hours.
    for (const text of ['begin 644 a\n'.repeat(500_000), 'begin 644 a\n#0V%T\n'.repeat(300_000), 'begin '.repeat(1e6)])
      expect(find(text)).toEqual([]);
  });
});
