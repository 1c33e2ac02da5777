import type { SiteAvailability } from '@groupware/contracts';
import { toChangeKey, concernsSite, diffAvailabilities } from './site-changes';

const sites = (of: Record<string, number>): SiteAvailability[] =>
  Object.entries(of).map(([id, availability]) => ({ id, availability }));
const changes = (before: Record<string, number>, now: Record<string, number>) =>
  diffAvailabilities({ previousAvailabilities: sites(before), newAvailabilities: sites(now) });

describe('changes of sites', () => {
  it('are differences; a site in one list only has 0 in the other', () => {
    expect(changes({ a: 1, b: 0.5, c: 1 }, { c: 1, b: 1, d: 0.2 })).toEqual([
      { id: 'a', before: 1, now: 0 },
      { id: 'b', before: 0.5, now: 1 },
      { id: 'd', before: 0, now: 0.2 },
    ]);
    expect(changes({ a: 0 }, {})).toEqual([]);
  });

  it('concern the local site, and everybody when a site comes or goes', () => {
    expect(concernsSite(changes({ a: 1 }, { a: 0.5 }), 'a')).toBe(true);
    expect(concernsSite(changes({ a: 1 }, { a: 0.5 }), 'b')).toBe(false);
    expect(concernsSite(changes({ a: 1 }, { a: 0 }), 'b')).toBe(true);
    expect(concernsSite(changes({ a: 0 }, { a: 0.1 }), 'b')).toBe(true);
    expect(concernsSite([], 'a')).toBe(false);
  });

  it('have one key, whatever the order of the lists', () => {
    expect(toChangeKey(changes({ a: 1, b: 1 }, { b: 0 }))).toBe(toChangeKey(changes({ b: 1, a: 1 }, { b: 0 })));
    expect(toChangeKey(changes({ a: 1 }, {}))).not.toBe(toChangeKey(changes({ a: 0.5 }, {})));
  });
});
