import { fileStoreFor } from '@groupware/file-store';
import { CalendarFiles, eventText as event, fileText as file } from '../testing/calendar-files';
import type { CalendarUser } from '../testing/calendar-user';
import { runCalendar, type RunningCalendar } from '../testing/running-calendar';

/** Bits of a user who may create, read and change everything, and delete nothing. */
const NO_DELETION = 2 | (2 << 7) | (2 << 14);
let running: RunningCalendar;
let files: CalendarFiles;

beforeAll(async () => {
  // Up to four events of one uid stay together, of others there are two in a batch.
  running = await runCalendar({ CALENDAR_IMPORT_BATCH: '2' });
  files = new CalendarFiles(running, fileStoreFor(running.environment.FILESTORE_URL!));
}, 60_000);
afterAll(() => running?.close());

const series = event(
  'UID:s',
  'DTSTART:20240101T090000Z',
  'DURATION:PT1H',
  'RRULE:FREQ=DAILY;COUNT=6',
  'SUMMARY:series',
);
const from = (day: string, hour: string, ...lines: string[]): string =>
  event(
    'UID:s',
    `RECURRENCE-ID;RANGE=THISANDFUTURE:202401${day}T090000Z`,
    `DTSTART:202401${day}T${hour}0000Z`,
    'DURATION:PT1H',
    ...lines,
  );
const one = (day: string): string =>
  event('UID:s', `RECURRENCE-ID:202401${day}T090000Z`, `DTSTART:202401${day}T200000Z`, 'DURATION:PT1H', 'SUMMARY:one');
const split = file(series, from('03', '12', 'SUMMARY:part'));

/** Day, hour and title of all that is in a calendar. */
async function shown(user: CalendarUser, folder = user.folder): Promise<string[]> {
  return (await user.all('201,200', { folder })).map(([start, title]) => {
    const text = new Date(start as number).toISOString();
    return `${text.slice(8, 10)} ${text.slice(11, 13)} ${String(title)}`;
  });
}
const days = (first: number, last: number, text: string): string[] =>
  Array.from({ length: last - first + 1 }, (_, index) => `0${first + index} ${text}`);
const SPLIT = [...days(1, 2, '09 series'), ...days(3, 6, '12 part')];

describe('a file that does not split a series any more', () => {
  it('takes back what was split off, its exceptions included, and nothing that users made', async () => {
    const ann = await files.enter();
    await files.load(ann, file(series, from('03', '12', 'SUMMARY:part'), from('05', '13', 'SUMMARY:last'), one('04')));
    const start_date = Date.UTC(2024, 0, 9, 9);
    await ann.create({ uid: 's_R20240109T090000', title: 'own', start_date, end_date: start_date + 3_600_000 });
    const everything = [...SPLIT.slice(0, 3), '04 20 one', ...days(5, 6, '13 last'), '09 09 own'];
    expect(await shown(ann)).toEqual(everything);
    await files.load(ann, file(one('02')));
    await files.load(ann, file(series), { dryRun: true });
    await files.load(ann, file(series), { ignoreUIDs: true });
    expect(new Set(await shown(ann))).toEqual(
      new Set([...everything.filter((line) => line !== '02 09 series'), '02 20 one', ...days(1, 6, '09 series')]),
    );
    const [result] = await files.load(ann, file(series, one('06')));
    expect(result).not.toHaveProperty('warnings');
    const bob = await files.enter();
    await files.load(bob, file(series, one('06'), one('02')));
    const fresh = days(1, 6, '09 series');
    expect((await shown(ann)).sort()).toEqual([...(await shown(bob)), ...fresh, '09 09 own'].sort());
  });

  it('leaves what it splits elsewhere, and what it brings as a series of its own', async () => {
    const ann = await files.enter();
    await files.load(ann, split);
    await files.load(ann, file(series, from('04', '12', 'SUMMARY:part')));
    expect(await shown(ann)).toEqual([...days(1, 3, '09 series'), ...days(4, 6, '12 part')]);
    await files.load(ann, split);
    expect(await shown(ann)).toEqual(SPLIT);
    const others = ['a', 'b'].map((uid) => event(`UID:${uid}`, 'DTSTART:20240108T090000Z', 'SUMMARY:other'));
    await files.load(ann, file(...others));
    const ids = (await ann.all('1')).map(([id]) => id);
    const [, ...saved] = (await files.save(ann))
      .split(/(?=BEGIN:VEVENT)/)
      .map((text) => text.replace(/\s*END:VCALENDAR\s*$/, '').trim());
    const [first, second] = saved.filter((text) => /UID:s/.test(text));
    for (const [one, two] of [
      [first, second],
      [second, first],
    ]) {
      await files.load(ann, file(one!, ...others, two!));
      expect(await shown(ann)).toEqual([...SPLIT, '08 09 other', '08 09 other']);
      expect((await ann.all('1')).map(([id]) => id)).toEqual(ids);
    }
  });

  it('also when the user deleted the series before', async () => {
    const ann = await files.enter();
    await files.load(ann, split);
    const [row] = await ann.all('1');
    await ann.remove({ id: row![0] });
    await files.load(ann, file(series));
    expect(await shown(ann)).toEqual(days(1, 6, '09 series'));
  });

  it('says so where the user may not delete', async () => {
    const [ann, bob] = [await files.enter(), await files.enter()];
    const folder = await ann.share([bob, NO_DELETION]);
    await files.load({ principal: ann.principal, folder }, split);
    const [{ warnings }] = await files.load({ principal: bob.principal, folder }, file(series));
    expect(warnings).toEqual([{ code: 'split-series-kept', message: expect.any(String) }]);
    expect((await shown(ann, folder)).filter((line) => line.endsWith('part'))).toHaveLength(4);
    const [result] = await files.load({ principal: ann.principal, folder }, file(series));
    expect(result).not.toHaveProperty('warnings');
    expect(await shown(ann, folder)).toEqual(days(1, 6, '09 series'));
  });
});
