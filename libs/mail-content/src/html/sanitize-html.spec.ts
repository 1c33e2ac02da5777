import { joinMailHtml, sanitizeMailHtml, type SanitizeOptions } from './sanitize-html';
import attacks from './testing/attacks.json';

const PICTURES = { cidUrlPrefix: '/image/mail/picture?uid=', cids: ['logo@x', 'ü b@x'] };
const body = (html: string, options: SanitizeOptions = {}) =>
  sanitizeMailHtml(html, { ...PICTURES, ...options })
    .html.replace(/^<!DOCTYPE html>\n<html><head><meta charset="utf-8">/, '')
    .replace('</head><body>', '')
    .replace(/<\/body><\/html>$/, '');
const embedded = (html: string, options: SanitizeOptions = {}) =>
  body(html, { embedded: true, ...options }).replaceAll(/svc-[0-9a-f]{10}/g, 'R');

describe('HTML of mails', () => {
  it.each(attacks.map(({ name, html }) => [name, html]))('nothing of an attack is left: %s', (_, html) => {
    for (const options of [{}, { embedded: true }, { blockImages: true, embedded: true }]) {
      const safe = sanitizeMailHtml(html, { ...PICTURES, ...options }).html.replace('<meta charset="utf-8">', '');
      const tags = safe.match(/<[^>]*>/g)!.filter((tag) => !tag.startsWith('</'));
      expect(tags.map((tag) => /^<([a-z0-9]*)/i.exec(tag)?.[1]).join(' ')).not.toMatch(
        /script|iframe|object|embed|svg|math|template|form|input|button|link|meta|base\b|noscript|textarea|title|xmp|video|audio/i,
      );
      expect(tags.join('\n').replaceAll(/"[^"]*"/g, '')).not.toMatch(
        /\son|srcset|formaction|ping|autofocus|contenteditable/i,
      );
      expect(tags.join('\n')).not.toMatch(/="\s*(?:javascript|vbscript|data:text|file|blob):/i);
      if ('blockImages' in options)
        expect(safe.replaceAll(/ href="[^"]*"/g, '')).not.toMatch(/url\(|(?:src|background)="http/i);
    }
  });

  it('keeps what mails are made of', () => {
    const mail =
      '<table width="600" cellpadding="0" bgcolor="#ffffff"><tr><td align="center" colspan="2" style="padding:4px 8px;color:#333">' +
      '<font face="Arial, sans-serif" size="2">Hi <b>you</b>,</font><ul type="disc"><li>one</li></ul>' +
      '<blockquote type="cite" style="margin-left:0;border-left:solid 1px blue">quoted <i>text</i></blockquote>' +
      '<hr size="1" /><img src="https://x.example/a.png" width="10" alt="A &amp; B" /></td></tr></table>';
    expect(body(mail)).toBe(mail);
  });

  it('MH-04 leaves out foreign pictures, tells it, and keeps them when they are shown', () => {
    const mail =
      '<img src="https://x.example/a.png" srcset="https://x.example/b.png 2x"><table background="https://x.example/t.png"><tr>' +
      '<td style="background:url(https://x.example/c.png);color:red">x</td></tr></table><input type=image src="https://x.example/i.png">' +
      '<style>td{background-image:url(https://x.example/s.png)}</style>';
    const blocked = sanitizeMailHtml(mail, { blockImages: true });
    expect(blocked.html).not.toContain('x.example');
    expect(blocked.hasBlockedImages).toBe(true);
    const shown = sanitizeMailHtml(mail);
    expect(shown.html).toContain('<img src="https://x.example/a.png" />');
    expect(shown.html).toContain('<table background="https://x.example/t.png">');
    expect(shown.html).toContain('td{background-image:url(https://x.example/s.png)}');
    expect(shown.html).not.toMatch(/srcset|input/);
    expect(shown.hasBlockedImages).toBe(false);
  });

  it('CO-09 keeps a text that is made safe again as it is', () => {
    const once = sanitizeMailHtml('<p>Hi</p>').html;
    expect(sanitizeMailHtml(once).html).toBe(once);
  });

  it('leaves out addresses with a session, where the result leaves the server', () => {
    const session = '0123456789abcdef'.repeat(2);
    const address = `http://here.test/ajax/file?action=get&amp;id=1&amp;session=${session}`;
    const mail =
      `<img src="${address}" alt="A" /><a href=${address}>b</a><p style="background:url(${address})">c</p>` +
      `<a href="https://here.test/appsuite/#session=${session}">d</a><img src="https://x.example/?session=abc" />`;
    const left = sanitizeMailHtml(mail, { withoutSessions: true }).html;
    expect(left).toContain('<img alt="A" /><a>b</a><p>c</p><a>d</a><img src="https://x.example/?session=abc" />');
    expect(sanitizeMailHtml(mail).html.split(session)).toHaveLength(5);
  });

  it('names parts as their Content-ID does, with %-encoding for the rest', () => {
    const mail = '<img src="cid:logo%40x"><img src="cid:ü b@x">';
    expect(body(mail, { cidUrlPrefix: 'cid:' })).toBe('<img src="cid:logo@x" /><img src="cid:%C3%BC%20b@x" />');
  });

  it('blocks no pictures of the mail itself', () => {
    const mail =
      '<img src="cid:logo@x"><img src="cid:%C3%BC%20b@x"><img src="CID:unknown@x"><img src="data:image/png;base64,AAAA">';
    const { html, hasBlockedImages, shownCids } = sanitizeMailHtml(mail, {
      ...PICTURES,
      blockImages: true,
      embedded: true,
    });
    expect(html.replace(/^<div[^>]*>/, '')).toBe(
      '<img src="/image/mail/picture?uid=logo%40x" /><img src="/image/mail/picture?uid=%C3%BC%20b%40x" /><img />' +
        '<img src="data:image/png;base64,AAAA" /></div>',
    );
    expect(shownCids).toEqual(['logo@x', 'ü b@x']);
    expect(hasBlockedImages).toBe(false);
  });

  it('fetches foreign pictures through a door of its own when there is one', () => {
    expect(body('<img src="https://x.example/a.png?b=c&d">', { imageProxyPrefix: '/image?url=' })).toBe(
      '<img src="/image?url=https%3A%2F%2Fx.example%2Fa.png%3Fb%3Dc%26d" />',
    );
  });

  it('MH-09 restricts rules to the mail', () => {
    expect(
      embedded(
        '<style>#a{position:absolute;top:-9999px;color:red}.b>p, body .c, html{margin:1px}@media (max-width:600px){td{width:100%}}</style><p id=a class="b c">x</p>',
      ),
    ).toBe(
      '<div id="R"><style type="text/css">#R #R-a{color:red}#R .R-b>p,#R .R-c,#R{margin:1px}@media (max-width:600px){#R td{width:100%}}</style>' +
        '<p id="R-a" class="R-b R-c">x</p></div>',
    );
  });

  it('gives the look of its body to the element that stands for it', () => {
    expect(embedded('<body bgcolor="#eeeeee" text=black dir=rtl style="font-size:12px;position:fixed">x</body>')).toBe(
      '<div id="R" dir="rtl" style="font-size:12px;background-color:#eeeeee;color:black">x</div>',
    );
  });

  it('MH-10 keeps the text and the address of a link', () => {
    expect(body('<a href="https://other.example/?a=b&amp;c">https://bank.example</a>')).toBe(
      '<a href="https://other.example/?a=b&amp;c" target="_blank" rel="noopener noreferrer">https://bank.example</a>',
    );
  });

  it('MG-18 takes the addresses from links of malicious mails', () => {
    expect(body('<a href="https://other.example/">x</a>', { neutralizeLinks: true })).toBe('<a>x</a>');
  });

  it('keeps anchors within the mail', () => {
    expect(embedded('<a href="#part">go</a><a name="part">here</a>')).toBe(
      '<div id="R"><a href="#R-part">go</a><a name="R-part">here</a></div>',
    );
  });
});

describe('several texts', () => {
  it('are one, with the rules of all', () => {
    const [first, second] = [
      sanitizeMailHtml('<p>one</p>').html,
      sanitizeMailHtml('<style>p{color:red}</style><body style="margin:1px"><p>two</p></body>').html,
    ];
    const joined = joinMailHtml(first, second, 'three');
    expect(joined.match(/<(?:html|body)\b/g)).toHaveLength(2);
    expect(joined).toMatch(
      /<p>one<\/p><style.*color:\s*red.*<div[^>]*><p>two<\/p><\/div><div>three<\/div><\/body><\/html>$/s,
    );
  });

  it('lose the rules for names that became too long, once they were quoted many times', () => {
    let html = '<style>.mine{color:red}</style><p class="mine">one</p>';
    const lengths = Array.from({ length: 30 }, () => {
      html = `<blockquote>${sanitizeMailHtml(html, { embedded: true }).html}</blockquote>`;
      return html.length;
    });
    expect(lengths.at(-1)! - lengths.at(-2)!).toBeLessThan(100);
    expect([html.includes('>one</p>'), html.includes('color:red')]).toEqual([true, false]);
  });

  it('keep their rules for themselves where they stand inside another page', () => {
    const [first, second] = ['<style>p{color:red}</style><p>one</p>', '<p>two</p>'].map(
      (html) => sanitizeMailHtml(html, { embedded: true }).html,
    ) as [string, string];
    const joined = joinMailHtml(first, second, 'three');
    expect(joined).toBe(`${first}<div>${second}</div><div>three</div>`);
    expect(joined).toMatch(
      /^<div id="(svc-\w+)"><style type="text\/css">#\1 p\{color:red\}<\/style><p>one<\/p><\/div>/,
    );
  });
});

describe('a piece of a text that users write', () => {
  const clean = (html: string) => sanitizeMailHtml(html, { fragment: true, cids: ['0a1b'], cidUrlPrefix: 'cid:' }).html;

  it.each([
    '<p>Grüße,<br>A&nbsp;B &amp; "C"</p><hr>',
    '<div class="io-ox-signature" style="color: red; font-size: 12pt;">x</div>',
    '<p><img src="cid:0a1b" alt="" width="10"></p>',
    '<span style="font-family: Arial, Helvetica, sans-serif">x</span>',
  ])('comes back as browsers write it: %s', (html) => expect(clean(html)).toBe(html));

  it.each([
    ['<style>p{color:red}</style><p>x</p>', '<p>x</p>'],
    ['<p style="position: fixed; color: red">x</p>', '<p style="color:red">x</p>'],
    ['<p style="color: red;background: url(javascript:1)">x</p>', '<p style="color:red">x</p>'],
    ['<!--><img src onerror=alert(1)>-->x', '<img>--&gt;x'],
    ['<body onload=1><p>x</p></body>', '<p>x</p>'],
    ['<p title="/><script>1</script>">x</p>', '<p title="/&gt;&lt;script&gt;1&lt;/script&gt;">x</p>'],
    ['<p>a /> b</p>', '<p>a /&gt; b</p>'],
  ])('is made safe: %s', (html, expected) => expect(clean(html)).toBe(expected));
});
