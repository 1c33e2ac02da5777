import { ZoneOffsets } from '@groupware/recurrence';
import { tzlib_get_ical_block, tzlib_get_timezones } from 'timezones-ical-library';
import { readComponent } from './component';
import { formatContentLine } from './content-line';
import { LineSplitter } from './line-splitter';
import { formatDateTime, formatUtcOffset } from './values';
import { ZoneDefinition } from './zone-definition';

/** The library's blocks hold the present rules only; in these years they must agree with ICU to be used. */
const CHECKED_FROM = Date.UTC(2025, 0, 1);
const CHECKED_TO = Date.UTC(2030, 0, 1);
const CHECK_STEP_MS = 7 * 86_400_000;
/** Changes of the clocks that are written out where no rule describes them. */
const LISTED_FROM = Date.UTC(1970, 0, 1);
const LISTED_TO = Date.UTC(2038, 0, 1);

const blocks = new Map<string, string>();
let libraryZones: ReadonlySet<string> | undefined;

/**
 * The VTIMEZONE of a zone under exactly this name, CRLF at the end: present rules from the zone library, else the
 * changes of the clocks from 1970 to 2037 one by one. Throws RecurrenceError for names `ZoneOffsets` does not know.
 */
export function timeZoneBlock(timeZone: string): string {
  let block = blocks.get(timeZone);
  if (block === undefined) {
    block = libraryBlock(timeZone) ?? listedBlock(timeZone);
    blocks.set(timeZone, block);
  }
  return block;
}

function libraryBlock(timeZone: string): string | undefined {
  libraryZones ??= new Set(JSON.parse(tzlib_get_timezones(true)) as string[]);
  if (!libraryZones.has(timeZone)) return undefined;
  const found = String(tzlib_get_ical_block(timeZone)[0]);
  if (!found.startsWith('BEGIN:VTIMEZONE')) return undefined;
  const lines = [...new LineSplitter(found.length).feed(`${found}\r\n`)].slice(1, -1);
  const definition = ZoneDefinition.read(readComponent('VTIMEZONE', lines, () => undefined));
  const offsets = ZoneOffsets.forZone(timeZone);
  for (let at = CHECKED_FROM; at < CHECKED_TO; at += CHECK_STEP_MS) {
    if (definition.offsetAt(at) !== offsets.offsetAt(at)) return undefined;
  }
  // Aliases come under the name they stand for.
  return `${found.trim().replace(/^TZID:.*$/m, tzidLine(timeZone).trim())}\r\n`;
}

function listedBlock(timeZone: string): string {
  const offsets = ZoneOffsets.forZone(timeZone);
  let before = offsets.offsetAt(LISTED_FROM);
  const standard = before;
  const parts = new Map<string, { readonly head: string; readonly kind: string; readonly times: string[] }>();
  const add = (kind: string, from: number, to: number, localMs: number) => {
    const head = `TZOFFSETFROM:${formatUtcOffset(from)}\r\nTZOFFSETTO:${formatUtcOffset(to)}\r\n`;
    const part = parts.get(kind + head) ?? { head, kind, times: [] };
    parts.set(kind + head, part);
    part.times.push(formatDateTime(localMs, false));
  };
  add('STANDARD', standard, standard, LISTED_FROM);
  for (const { atMs, offsetMs } of offsets.transitions(LISTED_FROM, LISTED_TO)) {
    add(offsetMs > before ? 'DAYLIGHT' : 'STANDARD', before, offsetMs, atMs + before);
    before = offsetMs;
  }
  const observances = [...parts.values()].map(({ head, kind, times: [first, ...more] }) => {
    const rdates = more.length > 0 ? formatContentLine(['rdate', {}, 'date-time', ...more]) : '';
    return `BEGIN:${kind}\r\n${head}DTSTART:${first}\r\n${rdates}END:${kind}\r\n`;
  });
  return `BEGIN:VTIMEZONE\r\n${tzidLine(timeZone)}${observances.join('')}END:VTIMEZONE\r\n`;
}

function tzidLine(timeZone: string): string {
  return formatContentLine(['tzid', {}, 'text', timeZone]);
}
