import ICAL from 'ical.js';
import type { PropertyParameters, RawProperty } from './calendar-event';

type DesignSet = NonNullable<Parameters<typeof ICAL.parse.property>[1]>;
type TextType = { fromICAL(value: string): string; toICAL(value: string): string };

const icalendar = ICAL.design.icalendar;
const TEXT = icalendar.value.text as TextType;

/** Properties whose value is a list; ical.js reads them as one text because it splits at escaped backslashes too. */
const LISTS: ReadonlySet<string> = new Set(['categories', 'resources', 'rdate', 'exdate', 'freebusy']);

/** Value types of properties that are younger than ical.js's table (RFC 7986, RFC 9074) or widely used. */
const YOUNGER_TYPES = {
  name: 'text',
  color: 'text',
  'x-wr-calname': 'text',
  'x-wr-caldesc': 'text',
  'x-wr-timezone': 'text',
  acknowledged: 'date-time',
};

/**
 * ical.js splits lines into name, parameters and value; values stay in iCalendar notation because its conversions
 * accept impossible dates, lose unknown parts of rules and turn broken numbers into 0. Tables have no prototype, so
 * that a property called CONSTRUCTOR is an unknown one.
 */
const readDesign: DesignSet = {
  value: table({}),
  param: table({
    ...Object.fromEntries(Object.entries(icalendar.param).filter(([, design]) => isMultiValued(design))),
    // RFC 7986, section 6.3.
    feature: { multiValue: ',' },
  }),
  property: table({
    ...Object.fromEntries(
      Object.entries(icalendar.property as Record<string, { defaultType?: string }>)
        // Its parts are divided by semicolons that must not be escaped: kept as written.
        .filter(([name]) => name !== 'request-status')
        .map(([name, { defaultType }]) => [name, { defaultType }]),
    ),
    ...Object.fromEntries(Object.entries(YOUNGER_TYPES).map(([name, defaultType]) => [name, { defaultType }])),
  }),
  propertyGroups: false,
};

const MULTI_VALUED: ReadonlySet<string> = new Set(Object.keys(readDesign.param));

const writeDesign: DesignSet = {
  value: table({ text: TEXT }),
  param: readDesign.param,
  property: table(
    Object.fromEntries(
      Object.entries(readDesign.property as Record<string, object>).map(([name, design]) => [
        name,
        LISTS.has(name) ? { ...design, multiValue: ',' } : design,
      ]),
    ),
  ),
  propertyGroups: false,
};

/** A control character, so it cannot be in the line. */
const HIDDEN_BACKSLASH = '\0';
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]*$/;
const CONTROL = /[^\P{Cc}\t]/u;
/** Exchange writes zones of its own as addresses and does not quote them. */
const UNQUOTED_ZONE = /^([^:"]*;TZID=)(tzone:[^:;"]*)(?=[:;])/i;
const CONTROL_BUT_NEWLINE = /[^\P{Cc}\t\n]/u;

/** Longest name with its parameters, characters: ical.js looks for each parameter from the begin of the line. */
const MAX_PARAMETERS = 16_384;
/** Most values of one line; what has more is no content line. */
const MAX_VALUES = 20_000;

/** Reads one unfolded content line (RFC 5545 §3.1, RFC 6868); `undefined` when it is not one. */
export function parseContentLine(line: string): RawProperty | undefined {
  const text = omitControls(line).trimStart().replace(UNQUOTED_ZONE, '$1"$2"');
  const separator = valueSeparator(text);
  if (separator < 0 || separator > MAX_PARAMETERS) return undefined;
  let property: [string, Record<string, string | (string | string[])[]>, string];
  try {
    // The value is cut off first: ical.js looks for it too early when a quoted parameter has several values. Nor may it
    // see backslashes: it takes one at the end of a quoted value for an escape, which parameters do not have.
    property = ICAL.parse.property(text.slice(0, separator + 1).replaceAll('\\', HIDDEN_BACKSLASH), readDesign);
  } catch {
    return undefined;
  }
  const [name, parameters, type] = property;
  if (!isPropertyName(name) || !NAME.test(type)) return undefined;
  const shown: Record<string, string | string[]> = {};
  for (const [parameter, found] of Object.entries(parameters)) {
    if (!NAME.test(parameter)) return undefined;
    // A list that is given twice comes as a list in a list.
    shown[parameter] = typeof found === 'string' ? showBackslash(found) : found.flat().map(showBackslash);
  }
  const value = text.slice(separator + 1);
  const values = LISTS.has(name) ? splitList(value) : [value];
  if (values.length > MAX_VALUES) return undefined;
  return [name, shown, type, ...(type === 'text' ? values.map(unescapeText) : values)];
}

/**
 * Writes one property, folded at 75 octets and ended by CRLF; the empty string when its name is not one. Characters
 * that iCalendar forbids are left out, so that no value can begin a line of its own.
 */
export function formatContentLine(property: RawProperty): string {
  const [name, parameters, type, ...values] = property;
  if (!isPropertyName(name)) return '';
  const safeType = NAME.test(type) ? type.toLowerCase() : 'unknown';
  const safeParameters: Record<string, string | string[]> = {};
  for (const [key, value] of Object.entries(parameters)) {
    if (!NAME.test(key) || key.toLowerCase() === 'value') continue;
    const safe = typeof value === 'string' ? omitForbidden(value) : value.map((entry) => omitForbidden(entry));
    const parameter = key.toLowerCase();
    // Only of some parameters it is known how several values are written.
    safeParameters[parameter] = typeof safe === 'string' || MULTI_VALUED.has(parameter) ? safe : safe.join();
  }
  const safeValues = values.map((value) => (safeType === 'text' ? omitForbidden(value) : omitControls(value)));
  const raw = [name.toLowerCase(), safeParameters, safeType, ...safeValues];
  return foldLine(ICAL.stringify.property(raw, writeDesign, true));
}

/** A parameter as one text: the first of several values, `undefined` when absent or empty. */
export function parameterText(parameters: PropertyParameters, name: string): string | undefined {
  const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
  return (typeof value === 'string' ? value : value?.[0]) || undefined;
}

/** Parameters without those that have fields of their own; `undefined` when none is left. */
export function otherParameters(
  parameters: PropertyParameters,
  mapped: readonly string[],
): PropertyParameters | undefined {
  let others: Record<string, string | readonly string[]> | undefined;
  for (const name of Object.keys(parameters)) if (!mapped.includes(name)) (others ??= {})[name] = parameters[name]!;
  return others;
}

/**
 * Text of a CN. Many programs escape it like a value although the RFC has no escapes in parameters; a backslash that
 * stands for itself before such a character is therefore written twice ({@link formatCommonName}).
 */
export function readCommonName(text: string): string {
  return text.replace(/\\([\\,;])/g, '$1');
}

/** Inverse of {@link readCommonName}. */
export function formatCommonName(text: string): string {
  return text.replace(/\\(?=[\\,;])/g, '\\\\');
}

/** Longest line, octets without its end (RFC 5545 §3.1). */
const LINE_OCTETS = 75;
/** Stands between two lines of one property. */
const FOLD = '\r\n ';
/** Lines of one part of a property that is folded in parts. */
const PART_LINES = 2_000;

/**
 * Folds a content line at 75 octets, never inside a character, and ends it (RFC 5545 §3.1, RFC 6350 §3.2). ical.js does not count the space at the start of
 * the lines that follow.
 */
export const foldLine = (line: string): string =>
  Buffer.byteLength(line) <= LINE_OCTETS ? `${line}\r\n` : [...foldInParts(line)].join('');

/** The same in parts that follow on one another: a picture has so many lines that others are to be served in between. */
export function* foldInParts(line: string): Generator<string, void, undefined> {
  const bytes = Buffer.from(line);
  // Of ASCII, such as pictures, each character is an octet.
  const isAscii = bytes.length === line.length;
  let pieces: string[] = [];
  for (let from = 0, most = LINE_OCTETS; from < bytes.length; most = LINE_OCTETS - 1) {
    let end = Math.min(from + most, bytes.length);
    // Octets within a character.
    while (end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end -= 1;
    pieces.push(isAscii ? line.slice(from, end) : bytes.toString('utf8', from, end));
    from = end;
    if (pieces.length === PART_LINES && from < bytes.length) {
      yield pieces.join(FOLD) + FOLD;
      pieces = [];
    }
  }
  yield `${pieces.join(FOLD)}\r\n`;
}

/** A text without control characters, tabs aside. */
export const omitControls = (text: string): string => (CONTROL.test(text) ? filterControls(text, false) : text);

/** The same for texts whose newlines are going to be escaped; other line breaks become newlines. */
export const omitForbidden = (text: string): string =>
  CONTROL_BUT_NEWLINE.test(text) ? filterControls(text.replace(/\r\n?/g, '\n'), true) : text;

/** Code units are copied one by one: every other character may be a control, and replacements would cost much more each. */
function filterControls(text: string, keepsNewlines: boolean): string {
  const codes = new Uint16Array(text.length);
  const bytes = Buffer.from(codes.buffer);
  bytes.write(text, 'utf16le');
  let length = 0;
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at]!;
    const isControl = code < 0x20 || (code >= 0x7f && code <= 0x9f);
    if (!isControl || code === 0x09 || (keepsNewlines && code === 0x0a)) codes[length++] = code;
  }
  return bytes.toString('utf16le', 0, 2 * length);
}

/** Position of the colon before the value: the first outside quoted parameters. */
function valueSeparator(text: string): number {
  const colon = text.indexOf(':');
  const quote = text.indexOf('"');
  if (colon < 0 || quote < 0 || quote > colon) return colon;
  let quoted = false;
  for (let i = quote; i < text.length; i++) {
    const char = text[i];
    if (char === '"') {
      if (quoted) quoted = false;
      else if (text[i - 1] === '=' || text[i - 1] === ',') quoted = true;
    } else if (char === ':' && !quoted) {
      return i;
    }
  }
  return -1;
}

function splitList(value: string): string[] {
  if (!value.includes('\\')) return value.split(',', MAX_VALUES + 1);
  const entries: string[] = [];
  let from = 0;
  for (let i = 0; i < value.length; i++) {
    if (value[i] === '\\') i++;
    else if (value[i] === ',') {
      entries.push(value.slice(from, i));
      from = i + 1;
      if (entries.length > MAX_VALUES) break;
    }
  }
  entries.push(value.slice(from));
  return entries;
}

/** BEGIN and END are lines of their own kind: as properties they would open or close components. */
function isPropertyName(name: string): boolean {
  return NAME.test(name) && !/^(begin|end)$/i.test(name);
}

function showBackslash(text: string): string {
  return text.replaceAll(HIDDEN_BACKSLASH, '\\');
}

function unescapeText(value: string): string {
  return value.includes('\\') ? TEXT.fromICAL(value) : value;
}

function isMultiValued(design: unknown): boolean {
  return typeof design === 'object' && design !== null && 'multiValue' in design;
}

function table<T extends object>(entries: T): T {
  return Object.assign(Object.create(null) as T, entries);
}
