import fc from 'fast-check';
import { parseCommands } from './parser';
import { makeRule, readScript, writeScript, type SieveScript } from './script';
import type { SieveArgument, SieveCommand, SieveTest } from './syntax';
import { writeCommands } from './writer';

const name = fc.constantFrom('header', 'address', 'size', 'frob', 'x_1', 'text');
const string = fc
  .oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom(
      '"',
      '\\',
      'a\\"b',
      '.\r\n..\r\n',
      '#<!-->\r\n',
      '## Flag: |UniqueId:1|Rulename: x\r\n',
      '/* ',
      'text:\r\n',
    ),
  )
  .map((value) => value.replaceAll('\0', ''));
const argument: fc.Arbitrary<SieveArgument> = fc.oneof(
  fc.record({ kind: fc.constant('tag' as const), name }),
  fc.record({ kind: fc.constant('number' as const), value: fc.nat() }),
  fc.record({ kind: fc.constant('text' as const), value: string }),
  fc.record({ kind: fc.constant('list' as const), values: fc.array(string, { minLength: 1, maxLength: 4 }) }),
);
const values = fc.array(argument, { maxLength: 4 });
const { test } = fc.letrec<{ test: SieveTest }>((tie) => ({
  test: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.record({ name, arguments: values, tests: fc.constant([]) }),
    fc.record({ name: fc.constant('not'), arguments: fc.constant([]), tests: fc.tuple(tie('test')) }),
    fc.record({
      name: fc.constantFrom('allof', 'anyof'),
      arguments: fc.constant([]),
      tests: fc.array(tie('test'), { minLength: 1, maxLength: 3 }),
    }),
  ),
}));
const action: fc.Arbitrary<SieveCommand> = fc.record({
  name: fc.constantFrom('keep', 'fileinto', 'vacation', 'unheard'),
  arguments: values,
  tests: fc.constant([]),
});
const rule: fc.Arbitrary<SieveCommand> = fc.record({
  name: fc.constant('if'),
  arguments: fc.constant([]),
  tests: fc.tuple(test),
  block: fc.array(action, { maxLength: 3 }),
});
const space = fc.constantFrom(
  '',
  ' ',
  '\n',
  '\r\n',
  '\r\n# a comment\r\n',
  '/* if */',
  '\n## Flag: vacation|UniqueId:4|Rulename: ä\n',
);
const foreign = fc
  .array(
    fc.tuple(
      space,
      fc.oneof(
        rule.map((each) => writeCommands([each])),
        action.map((each) => writeCommands([each])),
        rule.map((each) => `${writeCommands([each])}elsif true { }\n`),
        fc.constantFrom(
          'vacation text:\nHello\n..\n.\n;',
          '#<!-->keep;\n',
          'require "x";',
          'keep',
          '}',
          '"',
          'if {',
          'a[1]',
        ),
      ),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.flat().join(''));

const whole = ({ head, rules, tail }: SieveScript): string =>
  head + rules.map(({ kept }) => `${kept!.before}${kept!.mark}${kept!.body}`).join('') + tail;

const runs = { numRuns: 400 };

describe('Sieve', () => {
  it('that is written is read as the same commands', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(rule, action), { maxLength: 4 }), (commands) => {
        expect(parseCommands(writeCommands(commands))).toEqual(commands);
      }),
      runs,
    );
  });

  it('of anybody is taken apart without a loss', () => {
    fc.assert(
      fc.property(foreign, (source) => {
        expect(whole(readScript(source))).toBe(source);
      }),
      runs,
    );
  });

  it('of anybody keeps the text of each rule when one is added, and is stable from then on', () => {
    fc.assert(
      fc.property(foreign, rule, fc.boolean(), (source, added, isActive) => {
        const script = readScript(source);
        const rules = [...script.rules, makeRule({ id: 1000, name: 'n', flags: ['x'], isActive }, [added])];
        const written = writeScript({ ...script, rules, tail: '' }, script.required);
        for (const { kept } of script.rules) expect(written).toContain(kept!.body);
        const again = readScript(written);
        if (script.rules.every(({ problem }) => problem === undefined)) {
          expect(again.rules.map(({ commands, isActive: on }) => ({ commands, on }))).toEqual(
            rules.map(({ commands, isActive: on }) => ({ commands, on })),
          );
          expect(writeScript(again, again.required)).toBe(written);
        }
      }),
      runs,
    );
  });
});
