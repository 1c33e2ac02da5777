import fc from 'fast-check';
import { parseAuthenticationResults } from './authentication-results';

const parse = (text: string, id = 'mx.test') =>
  parseAuthenticationResults(text, (other) => other === id)?.map(({ properties, ...result }) => ({
    ...result,
    properties: Object.fromEntries(properties),
  }));
const result = (method: string, value: string, properties: object = {}, reason = '') => ({
  ...{ method, result: value, reason, properties },
});

describe('headers Authentication-Results', () => {
  it.each([
    ['mx.test', []],
    ['mx.test; none', []],
    ['mx.test 1; none', []],
    ['mx.test;', []],
    [';;', undefined],
    ['', undefined],
    ['(mx.test)', undefined],
    ['other.test; dkim=pass', undefined],
    ['dkim=pass header.d=x.example; spf=pass', undefined],
    ['mx.test = x; dkim=pass', undefined],
    ['"mx.test" (our "server"; (inner) \\) here) 1 ; dkim=pass', [result('dkim', 'pass')]],
    ['mx.test; dkim=pass; spf=fail', [result('dkim', 'pass'), result('spf', 'fail')]],
    ['mx.test; DKIM = PASS', [result('dkim', 'pass')]],
    ['mx.test; dkim/1=pass; spf / 1 = none', [result('dkim', 'pass'), result('spf', 'none')]],
    ['mx.test;dkim=pass(good)header.d=x.example', [result('dkim', 'pass', { 'header.d': 'x.example' }, 'good')]],
    [
      'mx.test; dkim=fail (a) reason="bad; (b) \\"k\\"" x.y=z',
      [result('dkim', 'fail', { 'x.y': 'z' }, 'bad; (b) "k"')],
    ],
    ['mx.test; spf=pass smtp . mailfrom = a@x.example', [result('spf', 'pass', { 'smtp.mailfrom': 'a@x.example' })]],
    ['mx.test; spf=pass smtp.mailfrom="a b;"@x', [result('spf', 'pass', { 'smtp.mailfrom': 'a b;@x' })]],
    [
      'mx.test; spf=pass smtp.mailfrom=b+a=y@x p.q==',
      [result('spf', 'pass', { 'smtp.mailfrom': 'b+a=y@x', 'p.q': '=' })],
    ],
    ['mx.test; dkim=pass x.y=first x.y=second', [result('dkim', 'pass', { 'x.y': 'first' })]],
    ['mx.test; dkim=pass some words x.y=z more', [result('dkim', 'pass', { 'x.y': 'z' })]],
    ['mx.test; dkim=; =pass; spf=none; dmarc', [result('spf', 'none')]],
    ['mx.test; dkim=pass (never closed; spf=pass', [result('dkim', 'pass', {}, 'never closed; spf=pass')]],
    ['mx.test; dkim="pass; spf=pass', [result('dkim', 'pass; spf=pass')]],
    ['mx.test dkim=pass; spf=none', [result('spf', 'none')]],
    ['mx.test; dkim=pass __proto__=x\\', [result('dkim', 'pass', Object.fromEntries([['__proto__', 'x\\']]))]],
    [`mx.test; dkim=pass ${'x'.repeat(9_000)}`, []],
  ])('are read: %.80s', (text, expected) => {
    expect(parse(text)).toEqual(expected);
  });

  it('are read whatever they hold', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.constantFrom(...['(', ')', '"', '\\', ';', '=', '.', '/', ' ', 'dkim', 'reason', 'header.d', 'pass', '(a)']),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        for (const { method, result } of parse(`mx.test;${pieces.join('')}`) ?? [])
          expect([method, result]).not.toContain('');
      }),
    );
  });

  it.each(['(', '"', '\\', ';', '=', '. ', '/', ' ', 'a=', '()', 'a ', '"a', ';a=b', '(a', '\u3000'])(
    'cost no more steps than they have characters, some each: %s',
    (piece) => {
      const text = `mx.test;${piece.repeat(Math.floor(8_000 / piece.length))}`;
      // Each look at a character is a step.
      const look = jest.spyOn(String.prototype, 'charAt');
      try {
        parse(text);
        expect(look.mock.calls.length).toBeLessThan(20 * text.length);
      } finally {
        look.mockRestore();
      }
    },
  );
});
