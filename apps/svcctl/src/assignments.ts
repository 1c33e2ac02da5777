import { EXIT, Stop } from './exit';

/**
 * Reads `field=value` pairs into an object. A value that is JSON (a number, true, null, an array …) is taken as such, else as
 * text; dots in the field name reach into objects.
 */
export function assignments(pairs: readonly string[]): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    if (equals < 1) throw new Stop(EXIT.usage, `--set takes field=value, not ${JSON.stringify(pair)}`);
    const path = pair.slice(0, equals).split('.');
    let target = result;
    for (const part of path.slice(0, -1)) {
      const inner = Object.hasOwn(target, part) ? target[part] : undefined;
      target = (target[part] = typeof inner === 'object' && inner !== null ? inner : {}) as Record<string, unknown>;
    }
    Object.defineProperty(target, path.at(-1)!, {
      value: valueOf(pair.slice(equals + 1)),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return result;
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
