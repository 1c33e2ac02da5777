import { randomUUID } from 'node:crypto';
import { MailErrors } from '@groupware/contracts';
import { extractPictures } from './outgoing-pictures';

describe('pictures of texts that are sent', () => {
  it('are those of this server and those within the text', () => {
    const space = 'a'.repeat(32);
    const { html, pictures } = extractPictures(
      `<img alt="x y"src="https://here.test/api/image/mail/picture?folder=default0/INBOX&amp;id=7&amp;uid=p@x">
       <img src='/api/image/mail/compose/image?uid=b${space}'><img src="/api/image/snippet/image?id=3&amp;uid=s1">
       <img src="data:image/png;base64,AAAA"><img src="https://elsewhere.test/a.png">
       <img src="//here.test/ajax/mail?action=attachment&folder=default0/INBOX&id=7&attachment=2&session=s1">`,
      new Map([[space, 'own@compose']]),
    );
    expect(pictures).toEqual([
      { cid: expect.any(String), kind: 'part', folder: 'default0/INBOX', id: '7', part: { cid: 'p@x' } },
      { cid: expect.any(String), kind: 'snippet', snippet: '3', attachment: 's1' },
      { cid: expect.any(String), kind: 'part', folder: 'default0/INBOX', id: '7', part: { part: '2' } },
      { cid: expect.any(String), kind: 'data', type: 'image/png', base64: 'AAAA' },
    ]);
    expect(html).not.toMatch(/image\/(mail|snippet)|data:|session/);
    expect(html).toContain("<img src='cid:own%40compose'>");
    for (const { cid } of pictures) expect(html).toContain(`cid:${cid}`);
    expect(html).toContain('https://elsewhere.test/a.png');
  });

  it.each(['http://here.test:8080/ajax', '//here.test/api', '/appsuite/api', ''])(
    'are files of the space by their address as attachments, below %s',
    (base) => {
      const [space, shown, gone] = ['a', 'b', 'c'].map((digit) => digit.repeat(32));
      const addressOf = (attachment: string) => `${base}/mail/compose/${space}/attachments/${attachment}?session=s1`;
      expect(
        extractPictures(`<img src="${addressOf(shown!)}"><img src="${addressOf(gone!)}">`, new Map([[shown!, 'p']])),
      ).toEqual({ html: '<img src="cid:p"><img src="">', pictures: [] });
    },
  );

  it('are those that were uploaded before', () => {
    const [first, second] = [randomUUID(), randomUUID()];
    const { html, pictures } = extractPictures(
      `<img src="/ajax/file?action=get&amp;id=${first}"><img src="/api/image/mfile/picture?uid=${second}">
       <img src='https://here.test/ajax/file?id=${second}&action=get&session=s1'>`,
    );
    expect(pictures).toEqual([
      { cid: expect.any(String), kind: 'managed', id: first },
      { cid: expect.any(String), kind: 'managed', id: second },
      { cid: expect.any(String), kind: 'managed', id: second },
    ]);
    expect(html).toMatch(/^<img src="cid:[^"]+"><img src="cid:[^"]+">\s+<img src='cid:[^']+'>$/);
  });

  it('are one part for each address, however often they are shown', () => {
    const address = '/api/image/mail/picture?folder=default0/INBOX&amp;id=7&amp;uid=p@x';
    const shown = `<img src="${address}"><img src='${address}'><img src="data:image/png;base64,AAAA">`;
    const { html, pictures } = extractPictures(shown.repeat(150));
    expect(pictures.map(({ kind }) => kind)).toEqual(['part', 'data']);
    const [first, second] = pictures.map(({ cid }) => `cid:${cid}`);
    expect(html).toBe(`<img src="${first}"><img src='${first}'><img src="${second}">`.repeat(150));
  });

  it('are refused where they are too many', () => {
    const show = (count: number) =>
      Array.from({ length: count }, (_each, index) => `<img src="/image/mfile/picture?uid=${index}">`).join('');
    expect(extractPictures(show(200)).pictures).toHaveLength(200);
    const image = '<img src="data:image/png;base64,AAAA">';
    for (const html of [show(201), `${show(200)}${image}`])
      expect(() => extractPictures(html)).toThrow(MailErrors.tooManyFiles(200));
  });

  it.each([
    'https://elsewhere.test/file?action=get&id=7',
    `https://elsewhere.test/file?action=save&id=${randomUUID()}`,
    'https://elsewhere.test/mail?action=new',
    `https://elsewhere.test/profile?action=get&id=${randomUUID()}`,
  ])('are none of other servers: %s', (address) => {
    const html = `<a href="${address}">Here</a><img src='${address}'>`;
    expect(extractPictures(html)).toEqual({ html, pictures: [] });
  });

  it.each([
    ['addresses without an end', `"${'/image/mail/picture?'.repeat(45_000)}<`],
    ['addresses of files without an end', `"${'/file?'.repeat(150_000)}<`],
    ['pictures without an end', `"data:image/png;base64,${'A'.repeat(900_000)}<`],
    ['quotes', `"'`.repeat(450_000) + '/image/mail/picture?'],
  ])('are looked for in linear time: %s', (_name, text) => {
    expect(extractPictures(text)).toEqual({ html: text, pictures: [] });
  });
});
