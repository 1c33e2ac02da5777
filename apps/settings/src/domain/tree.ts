import { isDeepStrictEqual } from 'node:util';
import { JslobErrors } from '@groupware/contracts';

/** An object of settings, nested at will. */
export type Tree = Readonly<Record<string, unknown>>;

/** One step of a path: the name of a member, or the position of an element. */
export type Step = string | number;

/** Whether a value is an object whose members are settings of their own. */
export const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Defines a member also where an assignment would set the prototype; one takes a sixth of the time. */
function define(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') target[name] = value;
  else Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Value of an own member. */
const memberOf = (tree: Tree, name: string): unknown => (Object.hasOwn(tree, name) ? tree[name] : undefined);

/** The change over the base: objects are joined member by member, everything else replaces; null removes a member. */
export const mergeTrees = (base: Tree, change: Tree): Tree => joinTrees(base, change, (value) => value !== null);

/** One tree over another: objects are joined member by member, everything else stands as it is in the upper one. */
export const overlayTrees = (lower: Tree, upper: Tree): Tree => joinTrees(lower, upper, () => true);

function joinTrees(lower: Tree, upper: Tree, isKept: (value: unknown) => boolean): Tree {
  const joined: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(lower)) if (!Object.hasOwn(upper, name)) define(joined, name, value);
  for (const [name, value] of Object.entries(upper)) {
    const before = memberOf(lower, name);
    if (isTree(value)) define(joined, name, joinTrees(isTree(before) ? before : {}, value, isKept));
    else if (isKept(value)) define(joined, name, value);
  }
  return joined;
}

/** The part of a tree that says something else than the defaults, so that later defaults show where the user chose nothing. */
export function withoutDefaults(tree: Tree, defaults: Tree): Tree {
  const own: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(tree)) {
    const given = memberOf(defaults, name);
    if (isTree(value) && isTree(given)) {
      const rest = withoutDefaults(value, given);
      if (Object.keys(rest).length > 0) define(own, name, rest);
    } else if (value !== null && !isDeepStrictEqual(value, given)) define(own, name, value);
  }
  return own;
}

/** Value at a path of names; undefined where there is none. */
export function valueAt(tree: Tree, path: readonly string[]): unknown {
  let value: unknown = tree;
  for (const name of path) value = isTree(value) ? memberOf(value, name) : undefined;
  return value;
}

/** The tree without what stands at a path; objects that are empty then go, too. */
export function withoutPath(tree: Tree, [name, ...rest]: readonly string[]): Tree {
  if (name === undefined || !Object.hasOwn(tree, name)) return tree;
  const left: Record<string, unknown> = {};
  for (const [each, value] of Object.entries(tree)) {
    if (each !== name) define(left, each, value);
    else if (rest.length > 0) {
      const inner = isTree(value) ? withoutPath(value, rest) : value;
      if (!isTree(inner) || Object.keys(inner).length > 0) define(left, each, inner);
    }
  }
  return left;
}

/** A tree with one value at a path of names. */
export const treeOf = (path: readonly string[], value: unknown): Tree =>
  path.reduceRight<unknown>((inner, name) => {
    const outer: Record<string, unknown> = {};
    define(outer, name, inner);
    return outer;
  }, value) as Tree;

/**
 * Takes a path such as `a/b[2]/c` apart.
 * @returns undefined where it is none
 */
export function parsePath(text: string): Step[] | undefined {
  const steps: Step[] = [];
  for (const part of text.replace(/^\//, '').split('/')) {
    const match = /^([^[\]]+)((?:\[\d{1,6}\])*)$/.exec(part);
    if (!match) return undefined;
    steps.push(match[1]!, ...[...match[2]!.matchAll(/\d+/g)].map(([digits]) => Number(digits)));
  }
  return steps;
}

/**
 * The tree with a value at a path; missing objects on the way are made, null removes.
 * @throws JSNCON-0006 for an element that a list does not have, JSNCON-0007 for a place below a value that is no object
 */
export function setAt(tree: Tree, path: readonly Step[], value: unknown): Tree {
  return setWithin(tree, path, value, path.join('/')) as Tree;
}

function setWithin(container: unknown, [step, ...rest]: readonly Step[], value: unknown, path: string): unknown {
  if (step === undefined) return value;
  if (typeof step === 'number') {
    if (!Array.isArray(container)) throw JslobErrors.invalidPath(path);
    if (step >= container.length) throw JslobErrors.missingElement(path);
    return container.map((each: unknown, index) => (index === step ? setWithin(each, rest, value, path) : each));
  }
  if (container !== undefined && !isTree(container)) throw JslobErrors.invalidPath(path);
  const copy: Record<string, unknown> = { ...container };
  const before = container && memberOf(container, step);
  if (rest.length === 0 && value === null) delete copy[step];
  else define(copy, step, setWithin(before, rest, value, path));
  return copy;
}

/** Levels of objects and lists in a value; 0 for a plain one. Stops counting above the limit. */
export function depthOf(value: unknown, limit: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (limit <= 0) return 1;
  let deepest = 0;
  for (const each of Object.values(value)) deepest = Math.max(deepest, depthOf(each, limit - 1));
  return deepest + 1;
}
