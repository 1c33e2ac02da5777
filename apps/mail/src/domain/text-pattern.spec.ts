import { createPatternTest, MAX_PATTERN_LENGTH } from './text-pattern';

describe('a pattern', () => {
  const holds = (text: string, pattern: string) => createPatternTest(pattern)(text);

  it.each([
    ['Invoice 2024', 'invoice*2024', true],
    ['Invoice 2024', 'invoice*2023', false],
    ['Invoice 2024', '2024*invoice', false],
    ['your invoice 2024, paid', 'invoice?2024', true],
    ['invoice  2024', 'invoice?2024', false],
    ['aXbXc', 'a*b*c', true],
    ['abab', 'ab*ab', true],
    ['aba', 'ab*ba', false],
    ['line\r\nnext', 'line*next', true],
    ['a\u{1f389}b', 'a?b', true],
    ['u\u0308ber', '\u00dcb?r', true],
    ['a.c [x] $1', 'a.c [x] $1', true],
    ['abc', 'a.c', false],
    ['a+b|c^{2}', '+b|c^{2}', true],
    ['x', '**', true],
  ])('in %j: %j is %s', (text, pattern, isFound) => {
    expect(holds(text, pattern)).toBe(isFound);
  });

  it('is compared in a bounded time', () => {
    const begin = performance.now();
    for (const pattern of [`${'?'.repeat(MAX_PATTERN_LENGTH - 1)}x`, 'a*'.repeat(MAX_PATTERN_LENGTH / 2) + 'x'])
      expect(holds('a'.repeat(65_536), pattern)).toBe(false);
    expect(performance.now() - begin).toBeLessThan(2_000);
  });
});
