import { covers, isTopicPattern, patternsOf } from './topics';

describe('topics', () => {
  it.each(['*', 'ox:mail:new', 'ox:mail:*', 'ox:*', 'a'])('takes %s', (text) =>
    expect(isTopicPattern(text)).toBe(true),
  );
  it.each([
    '',
    ':',
    'ox:',
    ':ox',
    'ox::new',
    'ox:*:new',
    '**',
    'ox mail',
    'ox.mail',
    'ox:mail*',
    'x'.repeat(256),
    'a\nb',
  ])('refuses %j', (text) => expect(isTopicPattern(text)).toBe(false));

  it('are told to everybody who subscribed to them or a wild card above', () => {
    expect(patternsOf('ox:mail:new').sort()).toEqual(['*', 'ox:*', 'ox:mail:*', 'ox:mail:new']);
    expect(covers(['ox:mail:*'], 'ox:mail:new')).toBe(true);
    expect(covers(['ox:calendar:*', '*'], 'ox:mail:new')).toBe(true);
    expect(covers(['ox:mail', 'ox:mai:*', 'ox:mail:new:*'], 'ox:mail:new')).toBe(false);
    expect(covers([], 'ox:mail:new')).toBe(false);
  });
});
