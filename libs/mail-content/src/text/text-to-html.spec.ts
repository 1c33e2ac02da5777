import { textToHtml } from './text-to-html';

const link = (url: string, text = url) => `<a href="${url}" target="_blank" rel="noopener noreferrer">${text}</a>`;

describe('text mails as HTML', () => {
  it('MG-06 escapes, breaks lines and links addresses', () => {
    expect(textToHtml('a < b\nhttp://x.example')).toBe(`a &lt; b<br>${link('http://x.example')}`);
    expect(textToHtml('<script>"x" & y</script>')).toBe('&lt;script&gt;&quot;x&quot; &amp; y&lt;/script&gt;');
  });

  it('links addresses of mails and names that begin with www, and nothing that runs', () => {
    expect(textToHtml('write to me@x.example.org, or (www.x.example.org).')).toBe(
      `write to ${link('mailto:me@x.example.org', 'me@x.example.org')}, or (${link('http://www.x.example.org', 'www.x.example.org')}).`,
    );
    expect(textToHtml('javascript:alert(1) //x.example data:text/html,x')).not.toContain('<a');
    // Quotes cannot end the attribute.
    expect(textToHtml('http://x.example/"onmouseover="x')).toBe(link('http://x.example/&quot;onmouseover=&quot;x'));
  });

  it('shows quotes as blockquotes when it shall', () => {
    const text = 'Hi\n> one\n>> two\n> > two, too\n> one\n>\nend\n';
    const cite = '<blockquote type="cite">';
    expect(textToHtml(text, { showQuotes: true })).toBe(
      `Hi${cite}one${cite}two<br>two, too</blockquote>one<br></blockquote>end`,
    );
    expect(textToHtml(text)).toBe('Hi<br>&gt; one<br>&gt;&gt; two<br>&gt; &gt; two, too<br>&gt; one<br>&gt;<br>end');
    expect(textToHtml('>'.repeat(5000) + 'x', { showQuotes: true }).match(/<blockquote/g)).toHaveLength(20);
  });

  it('keeps spaces', () => {
    expect(textToHtml('  a  b\tc')).toBe('&nbsp; a&nbsp; b&nbsp;&nbsp;&nbsp; c');
  });

  it('MG-18 leaves links of malicious mails as text', () => {
    expect(textToHtml('http://x.example', { neutralizeLinks: true })).toBe('http://x.example');
  });
});
