import { belowBase, first, parseParameters, splitTarget } from './url';

describe('targets of requests', () => {
  it('splits at the first question mark', () => {
    expect(splitTarget('/a?b=1?2')).toEqual({ path: '/a', query: 'b=1?2' });
    expect(splitTarget('/a')).toEqual({ path: '/a', query: '' });
  });

  it('reads parameters, repeated and broken ones too', () => {
    const parameters = parseParameters('a=1&a=2&b=x+y&c=%E0%A4%A&__proto__=1&d');
    expect(first(parameters, 'a')).toBe('1');
    expect(parameters.a).toEqual(['1', '2']);
    expect(parameters.b).toBe('x y');
    expect(first(parameters, 'd')).toBe('');
    expect(first(parameters, 'toString')).toBeUndefined();
    expect(first(parseParameters(''), 'toString')).toBeUndefined();
  });

  it.each([
    ['/calendar', [''], 'calendar'],
    ['/user/me/', [''], 'user/me'],
    ['/ajax/calendar', ['/ajax'], 'calendar'],
    ['/ajax/calendar', ['', '/ajax'], 'calendar'],
    ['/ajaxcalendar', ['/ajax'], undefined],
    ['/other', ['/ajax'], undefined],
    ['/ajax', ['/ajax'], ''],
  ])('finds what is below the base of %s', (path, bases, expected) => {
    expect(belowBase(path, bases)).toBe(expected);
  });
});
