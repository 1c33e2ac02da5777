import { IANA_ALIAS_MAP, WINDOWS_TO_IANA_MAP } from 'windows-iana';

/** Longest TZID that is looked at. */
const MAX_NAME = 256;
const CACHED_NAMES = 5_000;

const resolved = new Map<string, string | undefined>();
let spellings: Map<string, string> | undefined;
let windowsNames: Map<string, string> | undefined;

/**
 * Turns what calendars write as TZID into a name `ZoneOffsets` takes, or `undefined` when only a VTIMEZONE could tell.
 * Knows IANA names in any case and with the prefixes of other systems (`/mozilla.org/20050126_1/Europe/Berlin`,
 * `posix/Europe/Vaduz`), Windows names (`W. Europe Standard Time`) and fixed offsets (`GMT+08:00`, `UTC+2`, `-0330`).
 * Aliases keep their name (`US/Eastern`); fixed offsets come out as `GMT+08:00`, no offset as `UTC`.
 */
export function resolveTimeZone(id: string): string | undefined {
  if (resolved.has(id)) return resolved.get(id);
  const name = id.length > MAX_NAME ? undefined : resolve(id.trim().replace(/^"(.*)"$/, '$1'));
  if (resolved.size >= CACHED_NAMES) resolved.clear();
  resolved.set(id, name);
  return name;
}

function resolve(name: string): string | undefined {
  return resolveFixedOffset(name) ?? resolveIana(name) ?? resolveWindows(name) ?? resolvePrefixed(name);
}

function resolveFixedOffset(name: string): string | undefined {
  if (/^(utc|gmt|z|etc\/(utc|gmt)|tzone:\/\/microsoft\/utc)$/i.test(name)) return 'UTC';
  const match = /^(?:UTC|GMT)?\s?([+-])(\d{1,2})(?::?(\d{2}))?$/i.exec(name);
  if (!match) return undefined;
  const hours = Number(match[2]);
  const minutes = Number(match[3] ?? 0);
  if (hours > 18 || minutes > 59 || (hours === 18 && minutes > 0)) return undefined;
  if (hours === 0 && minutes === 0) return 'UTC';
  return `GMT${match[1]}${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
}

function resolveIana(name: string): string | undefined {
  if (!/^[A-Za-z][A-Za-z0-9_+\-/]*$/.test(name)) return undefined;
  const spelling = knownSpellings().get(name.toLowerCase());
  try {
    const canonical = new Intl.DateTimeFormat('en-US', { timeZone: spelling ?? name }).resolvedOptions().timeZone;
    // An alias outside the lists keeps its name when it is spelt like one, so that the client gets back what it sent.
    return spelling ?? (/^[A-Z]/.test(name) && !/[a-z][A-Z]{2}/.test(name) ? name : canonical);
  } catch {
    return undefined;
  }
}

function resolveWindows(name: string): string | undefined {
  windowsNames ??= new Map(
    WINDOWS_TO_IANA_MAP.filter((entry) => entry.territory === '001').map((entry) => [
      entry.windowsName.toLowerCase(),
      entry.iana[0],
    ]),
  );
  const iana = windowsNames.get(name.toLowerCase());
  return iana === undefined ? undefined : (resolveFixedOffset(iana) ?? resolveIana(iana));
}

/** Globally unique names (RFC 5545 §3.8.3.1) end in the IANA name; longest ending first. */
function resolvePrefixed(name: string): string | undefined {
  if (!/^(\/|posix\/|right\/)/i.test(name)) return undefined;
  const segments = name.split('/').filter((segment) => segment !== '');
  for (let start = name.startsWith('/') ? 0 : 1; start < segments.length; start++) {
    const found = resolveIana(segments.slice(start).join('/'));
    if (found !== undefined) return found;
  }
  return undefined;
}

function knownSpellings(): Map<string, string> {
  spellings ??= new Map(
    [...Intl.supportedValuesOf('timeZone'), ...IANA_ALIAS_MAP.flatMap((entry): readonly string[] => entry.alias)].map(
      (name) => [name.toLowerCase(), name],
    ),
  );
  return spellings;
}

/**
 * Returns the name of the zone of a request: that of its parameter, else that of the user, else UTC.
 * @param toError error for a parameter that names no zone
 */
export function resolveRequestTimeZone(
  parameter: string | undefined,
  userZone: string,
  toError: (parameter: string) => Error,
): string {
  const zone = resolveTimeZone(parameter || userZone);
  if (!zone && parameter) throw toError(parameter);
  return zone ?? 'UTC';
}
