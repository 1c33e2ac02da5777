import { toBaseSubject } from './mail-order';

describe('subjects that are compared', () => {
  it.each([
    ['Hello', 'Hello'],
    ['Re: Hello', 'Hello'],
    ['RE[2] : FWD: [list] Hello (fwd)', 'Hello'],
    ['  Aw: WG:Hello  ', 'Hello'],
    ['[only]', '[only]'],
    ['(fwd)', ''],
  ])('%s without prefixes', (subject, base) => {
    expect(toBaseSubject(subject)).toBe(base);
  });

  it.each([
    ['prefixes', `${'re:'.repeat(300_000)}x`],
    ['blanks', `a${' '.repeat(1_000_000)}(fw`],
    ['brackets', `re${'[a'.repeat(500_000)}`],
  ])('take no time for hostile ones: %s', (_name, subject) => {
    expect(toBaseSubject(subject).length).toBeLessThanOrEqual(1_000);
  });
});
