import { parse } from 'node:querystring';

/** Parameters of a query string or form: the first value of a name, or all of them when it was repeated. */
export type Parameters = Record<string, string | string[] | undefined>;

/** Most parameters that are looked at in one query or form. */
const MAX_PARAMETERS = 1000;

/** Splits the target of a request into path (still encoded) and query string. */
export function splitTarget(target: string): { path: string; query: string } {
  const mark = target.indexOf('?');
  if (mark < 0) return { path: target, query: '' };
  return { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

/** Reads a query string or a form body. */
export function parseParameters(text: string): Parameters {
  return text === '' ? (Object.create(null) as Parameters) : parse(text, '&', '=', { maxKeys: MAX_PARAMETERS });
}

/** The first value of a parameter, or undefined. */
export function first(parameters: Parameters, name: string): string | undefined {
  const value = parameters[name];
  return Array.isArray(value) ? value[0] : value;
}

/**
 * Part of a path below the base path, without slashes at its ends; undefined when the path is outside of every base path. The
 * longest base path that fits wins.
 */
export function belowBase(path: string, basePaths: readonly string[]): string | undefined {
  let best: string | undefined;
  for (const base of basePaths)
    if ((best === undefined || base.length > best.length) && (path === base || path.startsWith(`${base}/`)))
      best = base;
  if (best === undefined) return undefined;
  const rest = path.slice(best.length + 1);
  return rest.endsWith('/') ? rest.slice(0, -1) : rest;
}
