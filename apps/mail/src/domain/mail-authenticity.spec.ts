import { judgeAuthenticity, toAuthenticityRules } from './mail-authenticity';

const AT = Date.UTC(2024, 0, 1);
const RULES = toAuthenticityRules(
  'mx.test, *.Inner.test,',
  AT,
  'boss@x.example:boss, *@bank.example, *@*.x.example : x, *@x.example:late',
);
const judge = (results: readonly string[], from: readonly string[] = ['ann@x.example'], rules = RULES, received = AT) =>
  judgeAuthenticity(
    { from: from.map((address) => [null, address] as const), results, received: new Date(received) },
    rules,
  );
const own = (...results: string[]) => [`mx.test; ${results.join('; ')}`];

describe('the authenticity of a mail', () => {
  it('tells each result, and those that do not count', () => {
    const [client, reason] = ['192.0.2.7', 'domain of x.example designates 192.0.2.7 as permitted sender'];
    const found = judge(
      own(
        'dkim=fail header.d=list.example',
        'dkim=pass header.i=@mail.x.example header.s=s',
        `spf=pass (${reason}) smtp.mailfrom="a b"@x.example`,
        'dmarc=pass reason="all well" header.from=X.Example.',
        'iprev=pass policy.iprev=192.0.2.7',
      ),
      ['Ann@X.Example'],
      toAuthenticityRules('mx.test', 0, ''),
    );
    expect(found).toEqual({
      ...{ status: 'pass', trusted: false, from_domain: 'x.example' },
      spf: { result: 'pass', domain: 'x.example', client_ip: client, reason },
      dkim: { result: 'pass', domain: 'mail.x.example' },
      dmarc: { result: 'pass', domain: 'x.example', reason: 'all well' },
      unconsidered_results: [
        { mechanism: 'dkim', result: 'fail', domain: 'list.example' },
        { mechanism: 'iprev', result: 'pass' },
      ],
    });
  });

  it.each([
    ['pass', ['dmarc=pass', 'dkim=fail', 'spf=fail']],
    ['pass', ['dmarc=pass header.from=x.example']],
    ['neutral', ['dmarc=pass header.from=y.example']],
    ['fail', ['dmarc=fail', 'dkim=pass header.d=x.example', 'spf=pass smtp.mailfrom=x.example']],
    ['pass', ['dmarc=none', 'dkim=pass header.d=x.example', 'spf=fail']],
    ['pass', ['dkim=fail header.d=x.example', 'dkim=pass header.d=x.example']],
    ['pass', ['dkim=pass header.d=y.example', 'dkim=pass header.d=news.x.example']],
    ['fail', ['dkim=fail header.d=x.example', 'spf=pass smtp.mailfrom=x.example']],
    ['fail', ['dkim=fail']],
    ['pass', ['dkim=fail header.d=y.example', 'spf=pass smtp.mailfrom=x.example']],
    ['neutral', ['dkim=pass']],
    ['pass', ['dkim=permerror', 'spf=pass smtp.mailfrom=a=b@x.example']],
    ['pass', ['spf=pass smtp.mailfrom=<> smtp.helo=out.x.example']],
    ['fail', ['spf=fail smtp.mailfrom=y.example']],
    ['fail', ['spf=hardfail']],
    ['neutral', ['spf=softfail smtp.mailfrom=x.example']],
    ['neutral', ['spf=pass smtp.mailfrom=a@example']],
    ['neutral', ['dmarc=temperror', 'dkim=neutral', 'spf=none']],
    ['none', ['iprev=pass', 'auth=pass']],
    ['none', ['none']],
  ])('is %s by %j', (status, results) => {
    expect(judge(own(...results)).status).toBe(status);
  });

  it('tells when another domain passed', () => {
    const other = own('dkim=pass header.d=y.example', 'spf=pass smtp.mailfrom=y.example');
    expect(judge(other)).toMatchObject({ status: 'neutral', domain_mismatch: true });
    expect(judge(own('spf=pass smtp.mailfrom=x.example'))).not.toHaveProperty('domain_mismatch');
  });

  it.each([
    ['none', ['sender.test; dmarc=pass']],
    ['none', ['evil.test; dmarc=pass (mx.test)', 'dmarc=pass; mx.test', 'inner.test; dmarc=pass']],
    ['pass', ['filter.test; x=y', 'MX.TEST; dmarc=pass']],
    ['pass', ['a.b.inner.test; dmarc=pass']],
    ['pass', ['mx.test; spf=softfail', 'mx.test; dmarc=pass']],
    ['fail', ['mx.test; dmarc=fail', 'mx.test; dmarc=pass']],
    ['neutral', ['mx.test; dkim=none', 'mx.test; dkim=pass header.d=x.example']],
    ['neutral', ['mx.test; spf=none', 'relay.test; spf=none', 'mx.test; dmarc=pass']],
    ['none', [...Array.from({ length: 50 }, () => 'relay.test; none'), 'mx.test; dmarc=pass']],
    ['none', []],
  ])('is %s by the topmost headers of trusted servers: %j', (status, headers) => {
    expect(judge(headers).status).toBe(status);
  });

  it('knows no server that is not named', () => {
    expect(judge(own('dmarc=pass'), undefined, toAuthenticityRules(' , ', 0, '')).status).toBe('none');
    expect(judge(own('dmarc=pass'), undefined, toAuthenticityRules('*x*,m*.t*st', 0, '')).status).toBe('pass');
    for (const other of ['mx.test*test', 'm*q*test', 'x*', '*mx', 'mx.tes*est'])
      expect(judge(own('dmarc=pass'), undefined, toAuthenticityRules(other, 0, '')).status).toBe('none');
  });

  it.each([[[]], [['ann@x.example', 'bob@x.example']], [['nobody']], [['ann@']]])(
    'is neutral without one author: %j',
    (from) => {
      expect(judge(own('dmarc=pass'), from)).toEqual({ status: 'neutral', trusted: false });
    },
  );

  it('is not told of mails from before the threshold', () => {
    expect(judge(own('dmarc=pass'), undefined, RULES, AT - 1)).toEqual({ status: 'not_analyzed', trusted: false });
  });

  it.each([
    ['boss@x.example', { trusted: true, image: 'boss' }],
    ['BOSS@x.example', { trusted: true, image: 'boss' }],
    ['ann@a.x.example', { trusted: true, image: 'x' }],
    ['ann@x.example', { trusted: true, image: 'late' }],
    ['ann@bank.example', { trusted: true }],
    ['ann@bank.example.evil.test', { trusted: false }],
  ])('makes %s trusted where it passes: %j', (from, expected) => {
    const { trusted, image } = judge(own('dmarc=pass'), [from]);
    expect({ trusted, ...(image === undefined ? {} : { image }) }).toEqual(expected);
    expect(judge(own('dmarc=fail'), [from])).toMatchObject({ status: 'fail', trusted: false });
  });

  it.each([
    ['ann@bücher.example', 'xn--bcher-kva.example', 'pass'],
    ['ann@a.co.uk', 'b.co.uk', 'neutral'],
    ['ann@a.github.io', 'b.github.io', 'neutral'],
    ['ann@x.example/y.example', 'x.example', 'neutral'],
    ['ann@x.example', 'x.example#.y.example', 'neutral'],
    ['ann@[192.0.2.1]', '192.0.2.1', 'neutral'],
  ])('compares the domains of %s and %s: %s', (from, signer, status) => {
    expect(judge(own(`dkim=pass header.d="${signer}"`), [from]).status).toBe(status);
  });

  it('tells no more results than a client can use', () => {
    const many = Array.from({ length: 200 }, () => 'x=y');
    expect(judge(own(...many)).unconsidered_results).toHaveLength(100);
  });
});
