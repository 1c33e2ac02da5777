import fc from 'fast-check';
import { parseTagExpression } from './tag-expression';

const holds = (text: string, ...tags: string[]) => parseTagExpression(text)(new Set(tags));

describe('tag expressions', () => {
  it.each([
    ['premium', ['premium'], true],
    ['Premium', ['premium'], true],
    ['premium', ['trial'], false],
    ['a | b & c', ['a'], true],
    ['a | b & c', ['b'], false],
    ['(a | b) & c', ['b', 'c'], true],
    ['(a|b)&c', ['a'], false],
    ['!a & !(b | c)', [], true],
    ['!a & !(b | c)', ['c'], false],
    ['!!a', ['a'], true],
    ['"big customer" & ucWebmail', ['big customer', 'ucwebmail'], true],
  ])('%s with %j is %s', (text, tags, expected) => {
    expect(holds(text, ...tags)).toBe(expected);
  });

  it.each(['', '  ', 'a b', 'a &', '| a', '(a', 'a)', '!', '"a', 'a & & b', '()'])(
    'refuses %j with the place',
    (text) => {
      expect(() => parseTagExpression(text)).toThrow(/expected at character \d+/);
    },
  );

  it('means what its parts mean, whatever they are', () => {
    interface Node {
      text: string;
      value: (tags: ReadonlySet<string>) => boolean;
    }
    const tag = fc.constantFrom('a', 'b', 'c').map((name): Node => ({ text: name, value: (tags) => tags.has(name) }));
    const { node } = fc.letrec<{ node: Node }>((tie) => ({
      node: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        tag,
        fc.tuple(fc.constantFrom('&', '|'), tie('node'), tie('node')).map(([sign, left, right]): Node => ({
          text: `(${left.text} ${sign} ${right.text})`,
          value: (tags) =>
            sign === '&' ? left.value(tags) && right.value(tags) : left.value(tags) || right.value(tags),
        })),
        tie('node').map((inner): Node => ({ text: `!${inner.text}`, value: (tags) => !inner.value(tags) })),
      ),
    }));
    fc.assert(
      fc.property(node, fc.subarray(['a', 'b', 'c']), ({ text, value }, tags) => {
        expect(holds(text, ...tags)).toBe(value(new Set(tags)));
      }),
    );
  });

  it('answers or refuses any text at all', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          expect(typeof parseTagExpression(text)(new Set())).toBe('boolean');
        } catch (error) {
          expect((error as Error).message).toMatch(/expected at character/);
        }
      }),
    );
  });
});
