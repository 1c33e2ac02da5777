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

  it.each(['body~p', 'html + p', 'html>body.c ~ *', 'body:not(i)+div', 'html :not(:nth-child(2n+1))~p', 'html>.c~p'])(
    'leaves out rules for what is beside the mail: %s',
    (selector) =>
      expect(embedded(`<style>${selector},body p~p,html>p+p,body>i{color:red}</style><body class="c">x</body>`)).toBe(
        '<div id="R" class="R-c"><style type="text/css">#R p~p,#R p+p,#R>i{color:red}</style>x</div>',
      ),
  );

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

describe('mails that are quoted again and again', () => {
  const view = (html: string) => sanitizeMailHtml(html, { embedded: true }).html;
  const quote = (html: string) => `<blockquote>${view(html)}</blockquote>`;
  const quoteTimes = (times: number, html: string) => Array.from({ length: times }).reduce<string>(quote, html);
  const rootOf = (html: string) => /^<div id="(svc-[0-9a-f]{10})"/.exec(html)![1]!;
  const selectorsOf = (html: string) =>
    [...html.matchAll(/[{}>]([^{}<>]*(?:>[^{}<>]*)?)\{(?=[a-z-]+:)/g)].flatMap(([, list]) => list!.split(','));

  it('keep their styles, and grow by what each adds', () => {
    const texts = Array.from({ length: 12 }, (_, at) => ({ color: `#0000${10 + at}`, text: `text ${10 + at}` }));
    let html = '';
    const lengths = texts.map(({ color, text }) => {
      const style = `p{margin:1px}.mine{color:${color}}#top>b,body .mine i{color:${color}}@media print{.mine{top:0;color:${color}}}`;
      html = view(`<style>${style}</style><p class="mine other" id="top">${text}</p><blockquote>${html}</blockquote>`);
      return html.length;
    });
    html = view(html);
    const root = rootOf(html);
    for (const { color, text } of texts) {
      const [, mail] = new RegExp(`id="(svc-q\\w+)-top">${text}</p>`).exec(html)!;
      expect(html).toContain(`<p class="${mail}-mine ${mail}-other" id="${mail}-top">${text}</p>`);
      expect(html.split(`<div id="${mail}">`)).toHaveLength(2);
      expect(html).toContain(
        `#${root} #${mail} p{margin:1px}#${root} #${mail} .${mail}-mine{color:${color}}` +
          `#${root} #${mail} #${mail}-top>b,#${root} #${mail} .${mail}-mine i{color:${color}}` +
          `@media print{#${root} #${mail} .${mail}-mine{color:${color}}}`,
      );
    }
    const growth = lengths.slice(1).map((length, at) => length - lengths[at]!);
    expect(new Set(growth.slice(1)).size).toBe(1);
  });

  it('keep their names as short as they are, however often that is', () => {
    const first = quoteTimes(2, '<style>.mine{color:red}</style><p class="mine">one</p>');
    const levels = Array.from({ length: 30 }, (_, at) => quoteTimes(at, first));
    const growth = levels.slice(1).map((html, at) => html.length - levels[at]!.length);
    expect(Math.max(...growth)).toBeLessThan(100);
    expect(levels.at(-1)).toMatch(/#svc-\w+ #(svc-q\w+) \.\1-mine\{color:red\}.*<p class="\1-mine">one<\/p>/);
  });

  it.each([90, 100])('keep names of %i characters, with their rules', (length) => {
    const name = 'n'.repeat(length);
    const mail = `<style>.${name}{color:red}#${name}{margin:1px}</style><p class="${name} ${'n'.repeat(101)}" id="${name}">one</p>`;
    for (const times of [1, 2, 5]) {
      const html = quoteTimes(times, mail);
      const [, prefix] = /<p class="(svc-\w+)-n/.exec(html)!;
      expect(html).toContain(`<p class="${prefix}-${name}" id="${prefix}-${name}">one</p>`);
      expect(html).toContain(` .${prefix}-${name}{color:red}`);
      expect(html).toContain(` #${prefix}-${name}{margin:1px}`);
    }
    const page = sanitizeMailHtml(quoteTimes(3, mail)).html;
    expect(page.split(name)).toHaveLength(5);
  });

  it('keep what refers to their names', () => {
    const mail =
      '<a href="#part">go</a><a name="part">here</a><img usemap="#m"><map name="m"><area href="#part"></map>' +
      '<table><tr><th id="h.1">x</th><th id="h2">y</th><td headers="h.1 h2">z</td></tr></table>';
    for (const times of [1, 2, 5]) {
      const html = quoteTimes(times, mail);
      const [, prefix] = /name="(svc-\w+)-part"/.exec(html)!;
      expect(html.replaceAll(`${prefix}-`, 'P-')).toContain(
        '<a href="#P-part">go</a><a name="P-part">here</a><img usemap="#P-m" /><map name="P-m"><area href="#P-part" /></map>' +
          '<table><tr><th id="P-h.1">x</th><th id="P-h2">y</th><td headers="P-h.1 P-h2">z</td></tr></table>',
      );
    }
    const nested = view(`<a href="#svc-0123456789">to the quote</a><div id="svc-0123456789">quote</div>`);
    expect(nested).toMatch(/<a href="#(svc-q\w+)">to the quote<\/a><div id="\1">quote<\/div>/);
  });

  it('keep the names of different mails different', () => {
    const [one, two] = ['red', 'blue'].map((color) =>
      view(`<style>.c{color:${color}}</style><p class="c">${color}</p>`),
    );
    const html = quoteTimes(3, one! + two!);
    const [red, blue] = ['red', 'blue'].map((color) => new RegExp(`class="(svc-q\\w+)-c">${color}`).exec(html)![1]);
    expect(red).not.toBe(blue);
    expect(html).toMatch(new RegExp(`#${red} \\.${red}-c\\{color:red\\}.*#${blue} \\.${blue}-c\\{color:blue\\}`));
  });

  it('reach nothing outside, even when they know the names of other mails and of their own', () => {
    const other = view(
      quote('<style>.c{color:red}</style><map name="m"><area href="#c"></map><p class="c" id="c">x</p>'),
    );
    const known = [...new Set(other.match(/svc-q?[0-9a-f]{10}/g))];
    expect(known).toHaveLength(2);
    const hostile = known
      .flatMap((id) => [
        `<style>#${id},#${id}>p,#${id} .${id}-c,.${id},body #${id},html>#${id},*{color:blue}#${known.join(' #')} p{color:blue}</style>`,
        `<div id="${id}" class="${id} ${id}-c"><p id="${id}-c"><a name="${id}-c" href="#${id}-c">x</a><map name="${id}-m"></map>`,
      ])
      .join('');
    const roots = new Set(known);
    for (let html = hostile, at = 0; at < 5; at++) {
      const shown = view(html);
      const root = rootOf(shown);
      // Another id each time, which the text that is shown cannot have known.
      expect(roots.has(root)).toBe(false);
      roots.add(root);
      expect(known.filter((id) => shown.includes(id))).toEqual([]);
      expect(shown.split(`id="${root}"`)).toHaveLength(2);
      const selectors = selectorsOf(shown);
      expect(selectors.length).toBeGreaterThan(10);
      expect(selectors.filter((selector) => !new RegExp(`^#${root}[ >#]`).test(selector))).toEqual([]);
      const names = [...shown.matchAll(/ (?:id|class|name|href)="#?([^"]*)"/g)].flatMap(([, list]) => list!.split(' '));
      expect(names.filter((name) => name !== root && !/^svc-q[0-9a-f]{10}(?:-|$)/.test(name))).toEqual([]);
      html = hostile.replaceAll(known[0]!, root) + shown;
    }
  });

  it('have no name of theirs that is like those that are made, but is none', () => {
    for (const name of ['SVC-0123456789-a', 'svc-0123456789a', 'svc-012345678-a', 'svc-Q0123456789', 'svc-xyz'])
      expect(view(`<p class="${name}">x</p>`)).toMatch(new RegExp(`^<div id="(svc-\\w+)"><p class="\\1-${name}">`));
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
