import fc from 'fast-check';
import { enrichedToHtml, richtextToHtml } from './enriched-to-html';

describe('text/enriched', () => {
  it('becomes HTML with its commands', () => {
    expect(
      enrichedToHtml('<bold>a<italic>b</italic></bold> <UNDERLINE>c</underline> & <<d> <unknown>e</unknown>'),
    ).toBe('<b>a<i>b</i></b> <u>c</u> &amp; &lt;d&gt; e');
    expect(enrichedToHtml('<center>a</center><flushright>b</flushright><indent>c</indent>')).toBe(
      '<div align="center">a</div><div align="right">b</div><div style="margin-left:40px">c</div>',
    );
    expect(enrichedToHtml('<fixed>a</fixed><bigger>b</bigger><excerpt>c</excerpt>')).toBe(
      '<span style="font-family:monospace">a</span><span style="font-size:120%">b</span><blockquote type="cite">c</blockquote>',
    );
  });

  it('has parameters, which are not shown', () => {
    expect(enrichedToHtml('<color><param>red</param>a</color><color>\n<PARAM>FFFF,0000,8080</PARAM>b</color>')).toBe(
      '<font color="red">a</font><font color="#FF0080">b</font>',
    );
    expect(enrichedToHtml('<fontfamily><param>Times" onclick="x</param>a</fontfamily>')).toBe(
      '<font face="Times onclickx">a</font>',
    );
    expect(enrichedToHtml('<paraindent><param>right,left,left,in</param>a</paraindent>')).toBe(
      '<div style="margin-left:80px;margin-right:40px;text-indent:40px">a</div>',
    );
    expect(enrichedToHtml('a<param>x <b></param>b<param>c')).toBe('abc');
    expect(enrichedToHtml('İİ<param>İ</param>b<param>c')).toBe('İİbc');
  });

  it('ends lines where there are several ends, or where they are not filled', () => {
    expect(enrichedToHtml('a\r\nb\n\nc\n\n\nd')).toBe('a b<br>\nc<br>\n<br>\nd');
    expect(enrichedToHtml('<nofill>a\n  b\n</nofill>c\nd')).toBe('a<br>\n&nbsp; b<br>\nc d');
  });

  it('is well nested, whatever is ended, and not deeper than a page shows', () => {
    expect(enrichedToHtml('</bold><bold>a<italic>b</bold>c</italic>')).toBe('<b>a<i>b</i></b>c');
    expect(enrichedToHtml('<bold>'.repeat(200_000) + 'a').match(/<b>/g)).toHaveLength(50);
    expect(enrichedToHtml('<param>'.repeat(200_000))).toBe('');
    expect(enrichedToHtml('<'.repeat(200_001))).toBe('&lt;'.repeat(100_001));
  });
});

describe('text/richtext', () => {
  it('becomes HTML, with its own commands for lines and characters', () => {
    expect(richtextToHtml('<bold>a</bold>\nb<nl>c <lt>d<comment>e<comment>f</comment></comment><lt>')).toBe(
      '<b>a</b> b<br>\nc &lt;d&lt;',
    );
    expect(richtextToHtml('<paragraph>a<superscript>2</superscript></paragraph>')).toBe('<p>a<sup>2</sup></p>');
  });
});

it('holds nothing but what was made, whatever is converted', () => {
  const piece = fc.oneof(
    fc.constantFrom('<bold>', '</bold>', '<color>', '<param>', '</param>', '<<', '<nofill>', '</nofill>', '<nl>', '\n'),
    fc.constantFrom('<comment>', '<script>', '<img src=x onerror=x>', '"', '</center>', '<center>', '\ud800'),
    fc.string({ maxLength: 5 }),
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 30 }),
      fc.constantFrom(enrichedToHtml, richtextToHtml),
      (parts, toHtml) => {
        const html = toHtml(parts.join(''));
        expect(html.replace(/<br>|<\/?b>|<font color="\w*">|<\/font>|<div align="center">|<\/div>/g, '')).not.toMatch(
          /<\/?\w/,
        );
        expect(html.match(/<b>/g)?.length).toBe(html.match(/<\/b>/g)?.length);
        expect(html).not.toMatch(/\p{Surrogate}/u);
      },
    ),
  );
});
