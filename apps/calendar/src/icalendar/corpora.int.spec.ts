import fs from 'node:fs';
import path from 'node:path';
import { fileStoreFor } from '@groupware/file-store';
import { type ImportedItem, readCalendar } from '@groupware/icalendar';
import { CalendarFiles } from '../testing/calendar-files';
import { independentFile, independentTimes, type Times } from '../testing/independent-occurrences';
import { runCalendar, type RunningCalendar } from '../testing/running-calendar';

const SAMPLES = path.join(__dirname, '../../../../libs/icalendar/testdata');
const YEAR = 366 * 86_400_000;
const FIRST = Date.UTC(1900, 0, 1);
const samples = fs
  .readdirSync(SAMPLES, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ics'))
  .sort();

/** Everything a test wants to know about a file. */
interface Outcome {
  readonly folder: string;
  readonly items: ImportedItem[];
  readonly results: any[];
  readonly again: any[];
  readonly state: any[];
  readonly stateAgain: any[];
  /** Bound of the view, and the occurrences in it. */
  readonly to: number;
  readonly times: Times[];
  readonly copy: any[];
  readonly copyResults: any[];
}

let running: RunningCalendar;
let files: CalendarFiles;
const outcomes = new Map<string, Outcome>();

async function outcomeOf(name: string): Promise<Outcome> {
  const content = fs.readFileSync(path.join(SAMPLES, name));
  const items: ImportedItem[] = [];
  for await (const item of readCalendar([content], { defaultTimeZone: 'UTC', pause: () => undefined }))
    items.push(item);
  const last = Math.max(0, ...items.flatMap(({ event }) => event?.start.localMs ?? []));
  const to = last + 2 * YEAR;
  const [ann, bob] = [await files.enter(), await files.enter()];
  const results = await files.load(ann, content);
  const state = await files.state(ann);
  const rows = await ann.all('201,202', { start: FIRST, end: to, range: 'overlap' });
  const again = await files.load(ann, content);
  const copyResults = await files.load(bob, await files.save(ann));
  return {
    folder: ann.folder,
    items,
    results,
    again,
    state,
    stateAgain: await files.state(ann),
    to,
    times: (rows as unknown as Times[]).sort((a, b) => a[0] - b[0] || a[1] - b[1]),
    copy: await files.state(bob),
    copyResults,
  };
}

beforeAll(async () => {
  running = await runCalendar();
  files = new CalendarFiles(running, fileStoreFor(running.environment.FILESTORE_URL!));
  // Round trips of one file overlap with those of others.
  const waiting = [...samples];
  const work = async (): Promise<void> => {
    for (let name = waiting.shift(); name; name = waiting.shift()) outcomes.set(name, await outcomeOf(name));
  };
  await Promise.all(Array.from({ length: 6 }, work));
}, 120_000);
afterAll(() => running?.close());

describe('files of many programs', () => {
  it.each(samples)('%s: a result per item', (name) => {
    const { items, results, folder } = outcomes.get(name)!;
    expect(results).toHaveLength(items.length);
    for (const item of items) {
      const result = results[item.index];
      expect(result.index).toBe(item.index);
      expect((result.warnings ?? []).map(({ code }: any) => code)).toEqual(item.warnings.map(({ code }) => code));
      if (item.event) expect(result).toMatchObject({ folder_id: folder, id: expect.stringMatching(/^\d+$/) });
      else
        expect(result).toMatchObject({ code: 'I_E-1310', line_number: expect.any(Number), error: expect.any(String) });
      if (item.kind !== 'VEVENT') expect(result.error).toContain(item.kind);
    }
  });

  it.each(samples)('%s: what independent programs see in it', (name) => {
    const { items, times, to } = outcomes.get(name)!;
    const events = items.filter(({ kind }) => kind === 'VEVENT').sort((a, b) => a.index - b.index);
    const readable = events.some(({ event }) => event);
    if (!readable) return expect(times).toEqual([]);
    const file = independentFile(fs.readFileSync(path.join(SAMPLES, name), 'utf8'));
    expect(file.events).toHaveLength(events.length);
    const stored = { ...file, events: file.events.filter((_, index) => events[index]!.event) };
    expect(times).toEqual(independentTimes(stored, to));
  });

  it.each(samples)('%s: the same again changes nothing, and is told to be there', (name) => {
    const { results, again, state, stateAgain } = outcomes.get(name)!;
    expect(again.map(({ code }) => code)).toEqual(results.map(({ code }) => code ?? 'CAL-4090'));
    expect(stateAgain).toEqual(state);
  });

  it.each(samples)('%s: its export gives the same calendar', (name) => {
    const { state, copy, copyResults } = outcomes.get(name)!;
    expect(copyResults.filter(({ id }) => id === undefined)).toEqual([]);
    // A file must say when it was written; what came without that gets it. The organizer is not written again.
    const strip = (list: any[], like: any[]) =>
      list.map(({ extra, ...rest }, index) => {
        const {
          icalendar: { organizer: _organizer, ...icalendar },
        } = JSON.parse(extra);
        if (JSON.parse(like[index].extra).icalendar.dtstampMs === undefined) delete icalendar.dtstampMs;
        return { ...rest, icalendar };
      });
    expect(strip(copy, state)).toEqual(strip(state, state));
  });
});

describe('occurrences that others worked out', () => {
  const expected = JSON.parse(fs.readFileSync(path.join(SAMPLES, 'expected-occurrences.json'), 'utf8')) as Record<
    string,
    { count?: number; first: number[] }
  >;

  it.each(Object.entries(expected))('%s', (name, { count, first }) => {
    const starts = outcomes.get(name)!.times.map(([start]) => start);
    const some = starts.slice(0, first.length);
    expect(some).toEqual(first.slice(0, some.length));
    expect(some.length).toBeGreaterThan(0);
    if (count !== undefined) expect(starts).toHaveLength(count);
  });
});
