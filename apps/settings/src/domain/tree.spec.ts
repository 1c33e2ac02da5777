import fc from 'fast-check';
import {
  depthOf,
  mergeTrees,
  parsePath,
  setAt,
  treeOf,
  valueAt,
  withoutDefaults,
  withoutPath,
  type Tree,
} from './tree';

const leaf = fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.array(fc.integer(), { maxLength: 3 }));
const name = fc.oneof(fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor', ''), fc.string({ maxLength: 3 }));
const { tree } = fc.letrec<{ tree: Tree; value: unknown }>((tie) => ({
  tree: fc.dictionary(name, tie('value'), { maxKeys: 4 }),
  value: fc.oneof({ depthSize: 'small' }, leaf, tie('tree')),
}));
/** Trees without objects that hold nothing: storing drops these. */
const full = tree.filter((each) => !JSON.stringify(each).includes('{}'));

describe('trees of settings', () => {
  it('join, and the defaults that are left out come back', () => {
    fc.assert(
      fc.property(full, full, (defaults, user) => {
        const shown = mergeTrees(defaults, user);
        expect(mergeTrees(defaults, withoutDefaults(shown, defaults))).toEqual(shown);
      }),
    );
  });

  it('are the same after the same change twice', () => {
    fc.assert(
      fc.property(tree, tree, (base, change) => {
        const once = mergeTrees(base, change);
        expect(mergeTrees(once, change)).toEqual(once);
      }),
    );
  });

  it('store nothing that is a default', () => {
    fc.assert(fc.property(tree, (defaults) => expect(withoutDefaults(defaults, defaults)).toEqual({})));
  });

  it('have at a path what was set there, and nothing after it was removed', () => {
    fc.assert(
      fc.property(full, fc.array(name, { minLength: 1, maxLength: 3 }), leaf, (base, path, value) => {
        const room = withoutPath(base, path.slice(0, 1));
        const merged = mergeTrees(room, treeOf(path, value));
        expect(valueAt(merged, path)).toEqual(value);
        expect(valueAt(withoutPath(merged, path), path)).toBeUndefined();
        expect(withoutPath(merged, path)).toEqual(room);
      }),
    );
  });

  it('never touch what all objects inherit', () => {
    const merged = mergeTrees({}, JSON.parse('{"__proto__":{"polluted":true}}') as Tree);
    expect(Object.keys(merged)).toEqual(['__proto__']);
    expect({}).not.toHaveProperty('polluted');
  });

  it('remove what null names, also within what is new', () => {
    expect(mergeTrees({ a: 1, b: { c: 1 } }, { a: null, b: { c: null }, d: { e: null } })).toEqual({ b: {}, d: {} });
  });
});

describe('a path', () => {
  it.each([
    ['a', ['a']],
    ['/a/b c', ['a', 'b c']],
    ['a[2]/b[0][1]', ['a', 2, 'b', 0, 1]],
  ])('%s is taken apart', (text, steps) => expect(parsePath(text)).toEqual(steps));

  it.each(['', '/', 'a//b', '[0]', 'a[', 'a[-1]', 'a[x]', 'a[0]b'])('%s is none', (text) =>
    expect(parsePath(text)).toBeUndefined(),
  );

  it('leads through lists and makes objects on the way', () => {
    const before: Tree = { list: [{ a: 1 }, 2] };
    expect(setAt(before, ['list', 0, 'b'], 3)).toEqual({ list: [{ a: 1, b: 3 }, 2] });
    expect(setAt(before, ['x', 'y'], 1)).toEqual({ list: [{ a: 1 }, 2], x: { y: 1 } });
    expect(setAt(before, ['list'], null)).toEqual({});
    expect(before).toEqual({ list: [{ a: 1 }, 2] });
    expect(() => setAt(before, ['list', 2], 3)).toThrow('does not exist');
    expect(() => setAt(before, ['list', 1, 'a'], 3)).toThrow('invalid');
    expect(() => setAt(before, ['list', 'a'], 3)).toThrow('invalid');
  });
});

describe('the depth of a value', () => {
  it('counts objects and lists', () => {
    expect([5, {}, { a: 1 }, { a: [1, { b: 1 }] }].map((value) => depthOf(value, 10))).toEqual([0, 1, 1, 3]);
  });

  it('is not counted far beyond the limit', () => {
    const deep = JSON.parse('['.repeat(5_000) + ']'.repeat(5_000)) as unknown;
    expect(depthOf(deep, 32)).toBe(33);
  });
});
