import { isHtml, replacePictures, showPictures, type SnippetPicture } from './snippet-content';

const FILE = '0123456789abcdef0123456789abcdef';

describe('the text of a snippet', () => {
  it.each([
    ['<b>x</b>', { 'content-type': 'text/html' }, true],
    ['plain', { 'content-type': 'text/html' }, true],
    ['<b>x</b>', { 'content-type': 'text/plain' }, false],
    ['<b>x</b>', { 'content-type': 'TEXT/PLAIN; charset=utf-8' }, false],
    ['<b>x</b>', 'text', true],
    ['<b>x</b>', undefined, true],
    ['<b>x</b>', { 'content-type': 1 }, true],
    ['a < b & c', undefined, false],
    ['a <- b', null, false],
    ['a <!-- b', {}, true],
  ])('%j with the facts %j is HTML: %j', (content, misc, expected) => {
    expect(isHtml(content, misc)).toBe(expected);
  });

  it.each<[string, SnippetPicture | undefined]>([
    [`cid:${FILE}`, { kind: 'own', snippet: '', file: FILE }],
    [`/appsuite/api/image/snippet/image?id=7&amp;uid=${FILE}`, { kind: 'own', snippet: '7', file: FILE }],
    [`https://x.example/ajax/image/snippet/image?uid=${FILE}&id=7`, { kind: 'own', snippet: '7', file: FILE }],
    ['/ajax/file?action=get&id=abc&session=s', { kind: 'managed', id: 'abc' }],
    ['/ajax/image/mfile/picture?uid=abc', { kind: 'managed', id: 'abc' }],
    ['data:image/png;base64,QUJD', { kind: 'data', type: 'image/png', base64: 'QUJD' }],
    ['/ajax/file?action=delete&id=abc', undefined],
    ['https://x.example/a.png', undefined],
    ['data:text/html,x', undefined],
  ])('names the picture %s', (address, expected) => {
    const found: SnippetPicture[] = [];
    const named = replacePictures(`<img alt="a" src="${address}">`, (picture) => {
      found.push(picture);
      return 'name';
    });
    expect(found).toEqual(expected ? [expected] : []);
    expect(named).toBe(`<img alt="a" src="${expected ? 'cid:name' : address}">`);
    expect(replacePictures(`<img src='${address}'>`, () => undefined)).toBe(`<img src='${expected ? '' : address}'>`);
  });

  it('shows its pictures, and nothing for those that are gone', () => {
    const stored = `<p>src="cid:x"<img src="cid:${FILE}"><img src="cid:${FILE.replace('0', 'f')}"></p>`;
    expect(showPictures(stored, (file) => (file === FILE ? '/i?id=1&uid=2' : undefined))).toBe(
      '<p>src="cid:x"<img src="/i?id=1&amp;uid=2"><img src=""></p>',
    );
  });

  it.each([
    'src="/file?'.repeat(100_000),
    `src="${'/image/snippet/image?'.repeat(50_000)}<`,
    `src="data:${'a'.repeat(1_000_000)}`,
    ' src ='.repeat(200_000),
  ])('takes little time for texts that are made to take much', (content) => {
    const begun = process.cpuUsage();
    replacePictures(content, () => 'name');
    const { user, system } = process.cpuUsage(begun);
    expect((user + system) / 1_000).toBeLessThan(500);
  });
});
