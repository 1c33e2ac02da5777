import { ADMIN_CALLERS } from './kit';
import { operations } from './registry';

const nameOf = ({ module, name }: { readonly module: string; readonly name: string }) => `${module}.${name}`;

describe('access', () => {
  it('is decided for every operation: by rights, or by a reason why callers need none', () => {
    const undecided = operations.filter(
      ({ access }) => access.isUndecided || access.rights.length > 0 === Boolean(access.reason),
    );
    expect(undecided.map(nameOf)).toEqual([]);
    expect(operations.length).toBeGreaterThan(350);
  });

  it('names a right at most once, under one name', () => {
    const names = new Map<string, object>();
    for (const { access } of operations)
      for (const right of access.rights) {
        expect(names.get(right.name) ?? right).toBe(right);
        names.set(right.name, right);
      }
    expect(names.size).toBeGreaterThan(15);
  });

  it('is needed by what reaches objects of several users', () => {
    const needing = new Set(operations.filter(({ access }) => access.rights.length > 0).map(({ module }) => module));
    expect([...needing].sort()).toEqual(
      expect.arrayContaining(['attachment', 'calendar', 'calendar-folders', 'export', 'folders', 'freebusy', 'import']),
    );
  });

  it('follows from the callers only where they are operators of what they name', () => {
    const byCallers = operations.filter(({ access }) => access.reason?.startsWith('the gateway lets its callers'));
    expect(byCallers.length).toBeGreaterThan(100);
    for (const { kind, callers = [] } of byCallers) {
      expect(kind).toBe('rest');
      expect(callers.length).toBeGreaterThan(0);
      expect(ADMIN_CALLERS.filter((each) => each !== 'reseller')).toEqual(expect.arrayContaining([...callers]));
    }
  });
});
