import { foldInParts, omitControls, omitForbidden } from '@groupware/icalendar';
import ICAL from 'ical.js';
import type { CardProperty } from './card';

type DesignSet = NonNullable<Parameters<typeof ICAL.parse.property>[1]>;

const table = <T extends object>(entries: T): T => Object.assign(Object.create(null) as T, entries);

/**
 * ical.js splits and writes names and parameters; values stay in the notation of the format, because its conversions lose what
 * they do not know. Tables have no prototype, so that a property called CONSTRUCTOR is an unknown one.
 */
const designFor = (lists: readonly string[]): DesignSet => ({
  value: table({}),
  param: table(Object.fromEntries(['type', ...lists].map((name) => [name, { multiValue: ',' }]))),
  property: table({}),
  propertyGroups: false,
});
const DESIGN = designFor([]);
/** A parameter with several quoted values. */
const QUOTED_LIST = /^([^=]+)="[^"]*"\s*,/;

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;
const GROUPED = /^(?:([A-Za-z0-9][A-Za-z0-9_-]*)\.)?([A-Za-z0-9][A-Za-z0-9_-]*)$/;
/** ical.js takes a backslash at the end of a quoted value for an escape, which parameters do not have. */
const HIDDEN_BACKSLASH = '\0';
/** Longest name with its parameters, characters: an address as one text stands there, too. */
const MAX_HEADER = 65_536;
/** Most parameters of a property: each is looked for from the begin of the line. */
const MAX_PARAMETERS = 100;
/** Most values of all of them together. */
const MAX_PARAMETER_VALUES = 1_000;

/** Values that stand alone in files of version 2.1, by the parameter that they belong to. */
const BARE_ENCODINGS = /^(?:quoted-printable|base64|b|8bit|7bit)$/i;
const BARE_LOCATIONS = /^(?:inline|url|content-id|cid)$/i;

/** Position of the colon before the value: the first outside of quotes; -1 without one. */
export function findValueSeparator(line: string): number {
  let isQuoted = false;
  for (let at = 0; at < line.length && at <= MAX_HEADER; at += 1) {
    const character = line[at];
    if (character === '"') isQuoted = !isQuoted;
    else if (character === ':' && !isQuoted) return at;
  }
  // A quote that is never closed is a character like others.
  const first = line.indexOf(':');
  return first > MAX_HEADER ? -1 : first;
}

/** Reads name and parameters of a line, the part before the colon; undefined when they are none. */
export function parseHeader(header: string): Omit<CardProperty, 'value'> | undefined {
  const [name = '', ...parameters] = splitParameters(omitControls(header).trimStart());
  const grouped = GROUPED.exec(name.trim());
  if (!grouped || parameters.length > MAX_PARAMETERS) return undefined;
  if (header.split(',', MAX_PARAMETER_VALUES + 1).length > MAX_PARAMETER_VALUES) return undefined;
  const named = parameters.map((parameter) => (parameter.includes('=') ? parameter : nameBareValue(parameter)));
  const line = `${[grouped[2]!, ...named].join(';')}:`.replaceAll('\\', HIDDEN_BACKSLASH);
  let read: [string, Record<string, string | (string | string[])[]>, string];
  try {
    const lists = named.flatMap((parameter) => QUOTED_LIST.exec(parameter)?.[1]?.toLowerCase() ?? []);
    read = ICAL.parse.property(line, lists.length > 0 ? designFor(lists) : DESIGN);
  } catch {
    return undefined;
  }
  const [, found, type] = read;
  const values: Record<string, string[]> = table({});
  for (const [key, value] of Object.entries(found)) {
    if (!NAME.test(key)) return undefined;
    values[key.toLowerCase()] = [value].flat(2).map((text) => text.replaceAll(HIDDEN_BACKSLASH, '\\'));
  }
  if (type !== 'unknown') values.value = [type];
  return {
    ...(grouped[1] !== undefined && { group: grouped[1] }),
    name: grouped[2]!.toUpperCase(),
    parameters: values,
  };
}

function splitParameters(header: string): string[] {
  const parts: string[] = [];
  let from = 0;
  let isQuoted = false;
  for (let at = 0; at < header.length; at += 1) {
    if (header[at] === '"') isQuoted = !isQuoted;
    else if (header[at] === ';' && !isQuoted) {
      parts.push(header.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, header.slice(from)].filter((part, index) => index === 0 || part.trim() !== '');
}

const nameBareValue = (value: string): string =>
  `${BARE_ENCODINGS.test(value.trim()) ? 'ENCODING' : BARE_LOCATIONS.test(value.trim()) ? 'VALUE' : 'TYPE'}=${value.trim()}`;

/** Writes name and parameters of a property, up to the colon before its value; undefined when its name is none. */
export function formatHeader({ group, name, parameters }: Omit<CardProperty, 'value'>): string | undefined {
  if (!NAME.test(name) || /^(?:begin|end|version)$/i.test(name)) return undefined;
  const safe: Record<string, string | string[]> = {};
  const lists: string[] = [];
  for (const [key, values] of Object.entries(parameters)) {
    if (!NAME.test(key) || key === 'value' || values.length === 0) continue;
    const texts = values.map(omitForbidden);
    if (texts.length > 1) lists.push(key);
    safe[key] = texts.length > 1 ? texts : texts[0]!;
  }
  const type = parameters.value?.[0];
  const raw = [name.toLowerCase(), safe, type && NAME.test(type) ? type.toLowerCase() : 'unknown', ''];
  const header = ICAL.stringify.property(raw, lists.length > 0 ? designFor(lists) : DESIGN, true);
  return group !== undefined && NAME.test(group) ? `${group}.${header}` : header;
}

/** Writes one property as the parts of a folded line; none when its name is none. Nothing can begin a line of its own. */
export function formatProperty(property: CardProperty): Iterable<string> {
  const header = formatHeader(property);
  // The value is put behind by us: ical.js takes several times as long over a large one.
  return header === undefined ? [] : foldInParts(`${header}${omitControls(property.value)}`);
}
