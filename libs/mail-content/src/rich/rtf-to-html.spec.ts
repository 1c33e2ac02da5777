import fc from 'fast-check';
import { rtfToHtml } from './rtf-to-html';

const convert = (rtf: string) => rtfToHtml(Buffer.from(rtf, 'latin1'));

describe('RTF', () => {
  it('becomes text with its paragraphs and its emphasis', () => {
    expect(
      convert(
        '{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0\\fswiss Arial;}}{\\colortbl;\\red255;}{\\*\\generator x;}{\\info{\\author me}}\r\n' +
          '\\pard\\f0 Hello \\b bold\\b0  and {\\i italic \\ul both}\\par\r\nnext\\line a\\tab b\\{\\\\\\} <x>\\par}',
      ),
    ).toBe(
      'Hello <b>bold</b> and <i>italic </i><i><u>both<br>\n</u></i>next<br>\na&nbsp;&nbsp;&nbsp; b{\\} &lt;x&gt;<br>\n',
    );
    expect(convert('{\\rtf1 a{\\v hidden}\\strike b\\plain c\\emdash}')).toBe('a<strike>b</strike>c—');
    expect(convert('{\\rtf1 {\\field{\\*\\fldinst HYPERLINK "x"}{\\fldrslt link}}{\\pict 0102}{\\unknown u}}')).toBe(
      'linku',
    );
  });

  it('has characters of Unicode, and of the code pages of the document and its fonts', () => {
    expect(convert("{\\rtf1\\ansi\\ansicpg1252 Gr\\'fc\\'dfe \\u8364?\\u-10179?\\u-8704? \\'80}")).toBe('Grüße €😀 €');
    expect(convert("{\\rtf1\\uc2\\u8364 ab\\uc0\\u8364 c{\\uc1\\u8364\\'80}d}")).toBe('€€c€d');
    expect(
      convert("{\\rtf1{\\fonttbl{\\f1\\fcharset204 A;}{\\f2\\fcharset128 B;}}\\f1\\'cf\\'f0\\f2\\'83\\'5c\\f0\\'e4}"),
    ).toBe('Прソä');
    expect(convert("{\\rtf1\\ansi\\ansicpg1250 \\'b3}")).toBe('ł');
    expect(convert("{\\rtf1\\mac \\'8a}")).toBe('ä');
    expect(convert('{\\rtf1 \\u-10179?a}')).toBe('\ufffda');
  });

  it('becomes the HTML again that it was made of', () => {
    const html =
      '{\\rtf1\\ansi\\ansicpg1251\\fromhtml1 \\deff0{\\fonttbl{\\f0\\fswiss\\fcharset204 Arial;}}' +
      '{\\*\\htmltag19 <html>}{\\*\\htmltag50 <body>}{\\*\\htmltag64 <p class="a">}\\htmlrtf {\\f0 \\htmlrtf0 ' +
      "\\'cf\\'f0 & \\u8364?{\\*\\htmltag84 &amp;}{\\*\\mhtmltag84 <x>}\\htmlrtf }\\htmlrtf0 {\\*\\htmltag72 </p>}" +
      '{\\*\\htmltag58 </body>}{\\*\\htmltag27 </html>}}';
    expect(convert(html)).toBe('<html><body><p class="a">Пр & €&amp;</p></body></html>');
    // Broken, and made of text.
    expect(convert("{\\rtf1\\ansi\\fromhtml1 a\\'fg{\\*\\htmltag64 <p>}b}")).toBe('afgb');
    expect(convert('{\\rtf1\\ansi\\fromhtml1 a{b')).toBe('ab');
    expect(convert('{\\rtf1\\ansi\\fromtext a\\par b}')).toBe('a<br>\nb');
  });

  it('leaves out bytes of pictures, also outside of them', () => {
    expect(convert('{\\rtf1 a\\bin4 }}}}b}')).toBe('ab');
    expect(convert('{\\rtf1 a\\bin999999999 b}')).toBe('a');
  });

  it('is text when it is none', () => {
    expect(convert('no <rtf>')).toBe('no &lt;rtf&gt;');
    expect(convert('')).toBe('');
  });

  it('may be nested as deep as it wants, and not be closed', () => {
    expect(convert('{\\rtf1 ' + '{\\b '.repeat(300_000) + 'a' + '}'.repeat(300_000) + 'b')).toBe('<b>a</b>b');
    expect(convert('{\\rtf1 a}}}}b\\')).toBe('ab');
    expect(convert('{\\rtf1\\fromhtml1 ' + '{'.repeat(300_000) + 'a' + '}'.repeat(300_001))).toBe('a');
  });

  it.each(['{\\rtf1 ', '{\\rtf1\\fromhtml1 '])('is converted whatever follows %s', (begin) => {
    const piece = fc.oneof(
      fc.constantFrom(
        '{',
        '}',
        '\\b ',
        '\\b0 ',
        '\\par',
        "\\'e4",
        "\\'",
        '\\u8364?',
        '\\u-1',
        '\\bin3 ',
        '\\*',
        '\\uc9 ',
      ),
      fc.constantFrom(
        '\\ansicpg99999 ',
        '\\ansicpg-1 ',
        '\\f1',
        '{\\fonttbl{\\f1\\fcharset204 x;}}',
        '\\',
        '<b>',
        '\\ul ',
      ),
      fc.string({ maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (parts) => {
        const html = convert(begin + parts.join(''));
        expect(html).not.toMatch(/\p{Surrogate}/u);
        if (begin.includes('html')) return;
        expect(html.replace(/<br>|<\/?[bu]>/g, '')).not.toMatch(/[<>]/);
        expect(html.match(/<b>/g)?.length).toBe(html.match(/<\/b>/g)?.length);
      }),
    );
  });
});
