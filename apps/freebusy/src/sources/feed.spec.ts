import fc from 'fast-check';
import { expandFeed, parseFeed } from './feed';
import { parseFeedAddresses, resolveRemoteAddress } from './source-addresses';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Monday, 5 January 2026. */
const MONDAY = Date.UTC(2026, 0, 5);
const WEEK = { fromMs: MONDAY, untilMs: MONDAY + 7 * DAY };
const event = (...lines: string[]): string[] => ['BEGIN:VEVENT', 'DTSTAMP:20260101T000000Z', ...lines, 'END:VEVENT'];
const file = (...lines: string[]): Buffer => Buffer.from(['BEGIN:VCALENDAR', ...lines, 'END:VCALENDAR'].join('\r\n'));
const times = async (text: Buffer, zone = 'UTC', limit = 100, maxSteps = 100_000) => {
  const feed = (await parseFeed(text, { maxEntries: 100 }))!;
  const found = await expandFeed(feed, zone, WEEK, { limit, maxSteps });
  return found.map(({ startMs, endMs, type }) => [(startMs - MONDAY) / HOUR, (endMs - MONDAY) / HOUR, type]);
};

describe('a feed', () => {
  it('tells the times of single events, series and their exceptions, cut to the range', async () => {
    const text = file(
      ...event('UID:1', 'DTSTART:20260105T090000Z', 'DTEND:20260105T100000Z', 'SUMMARY:never told'),
      ...event('UID:2', 'DTSTART;TZID=Europe/Berlin:20251229T090000', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=9'),
      ...event(
        'UID:2',
        'RECURRENCE-ID;TZID=Europe/Berlin:20260105T090000',
        'DTSTART;TZID=Europe/Berlin:20260105T120000',
        'DURATION:PT30M',
      ),
      ...event('UID:3', 'DTSTART:20260111T230000Z', 'DTEND:20260112T030000Z'),
    );
    expect(await times(text)).toEqual([
      [9, 10, 'BUSY'],
      [32, 33, 'BUSY'],
      [11, 11.5, 'BUSY'],
      [167, 168, 'BUSY'],
    ]);
    expect(await times(text, 'UTC', 2)).toHaveLength(2);
  });

  it('takes days and floating times in the zone of whoever is busy, and keeps private events to itself', async () => {
    const text = file(
      ...event('UID:1', 'DTSTART;VALUE=DATE:20260106', 'STATUS:TENTATIVE'),
      ...event('UID:2', 'DTSTART:20260108T090000', 'DURATION:PT1H', 'TRANSP:TRANSPARENT'),
      ...event('UID:3', 'DTSTART:20260108T090000Z', 'DURATION:PT1H', 'CLASS:PRIVATE'),
      ...event('UID:4', 'DTSTART:20260108T090000Z', 'DURATION:PT1H', 'STATUS:CANCELLED'),
      ...event('UID:5', 'DTSTART:20260109T090000Z', 'DURATION:PT1H', 'X-MICROSOFT-CDO-BUSYSTATUS:OOF'),
    );
    expect(await times(text, 'America/New_York')).toEqual([
      [29, 53, 'BUSY-TENTATIVE'],
      [86, 87, 'FREE'],
      [105, 106, 'BUSY-UNAVAILABLE'],
    ]);
  });

  it('is read whatever it holds, or not at all', async () => {
    expect(await parseFeed(Buffer.from('<html></html>'), { maxEntries: 5 })).toBeUndefined();
    const hostile = file(...event('UID:1', 'DTSTART:20260105T090000Z', 'RRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30'));
    expect(await times(hostile)).toEqual([]);
    const line = fc.constantFrom(
      ...['BEGIN:VEVENT', 'END:VEVENT', 'DTSTART:20260105T090000Z', 'DTSTART;VALUE=DATE:20260105', 'RRULE:FREQ=DAILY'],
      ...[
        'RECURRENCE-ID:20260106T090000Z',
        'UID:x',
        'DURATION:PT1H',
        'BEGIN:VFREEBUSY',
        'FREEBUSY:x',
        'RDATE:20260107',
      ],
    );
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 20 }), async (lines) => {
        const found = await times(file(...lines), 'Asia/Kolkata', 10);
        expect(found.length).toBeLessThanOrEqual(10);
      }),
      { numRuns: 100 },
    );
  });
});

describe('a feed that costs much', () => {
  const costly = event('UID:1', 'DTSTART:20260101T000000Z', 'RRULE:FREQ=SECONDLY;BYHOUR=23;BYMINUTE=59;BYSECOND=59');
  const plain = event('UID:2', 'DTSTART:20260105T090000Z', 'DURATION:PT1H');

  it('is shown as far as its steps lead', async () => {
    const text = file(...costly, ...plain);
    expect(await times(text, 'UTC', 100, 1_000_000)).toContainEqual([9, 10, 'BUSY']);
    expect(await times(text, 'UTC', 100, 10)).not.toContainEqual([9, 10, 'BUSY']);
  });

  it('has changes of a series that are read once, however many events have its uid', async () => {
    const changes = Array.from({ length: 5_000 }, () =>
      event('UID:s', 'RECURRENCE-ID:20260106T090000Z', 'DTSTART:20260106T100000Z'),
    ).flat();
    const series = Array.from({ length: 5_000 }, () =>
      event('UID:s', 'DTSTART:20260105T090000Z', 'DURATION:PT1H', 'RRULE:FREQ=DAILY'),
    ).flat();
    const feed = await parseFeed(file(...changes, ...series), { maxEntries: 10_000 });
    expect(feed!.entries.filter(({ series: { exdates } }) => exdates && exdates.length > 0)).toHaveLength(1);
  });
});

describe('addresses of sources', () => {
  it('are the feeds of a list, and the page of the domain of an address', () => {
    expect(parseFeedAddresses('  https://a.example/x \n https://b.example https://b.example ')).toEqual([
      'https://a.example/x',
      'https://b.example',
    ]);
    const list = 'One.example=https://fb.example/{server}/{user}.ifb two.example=https://x.example/?a={address}&b=1';
    expect(resolveRemoteAddress(list, 'a/b c@one.example')).toBe('https://fb.example/one.example/a%2Fb%20c.ifb');
    expect(resolveRemoteAddress(list, 'ann@two.example')).toBe('https://x.example/?a=ann%40two.example&b=1');
    expect(resolveRemoteAddress(list, 'ann@other.example')).toBeUndefined();
    expect(resolveRemoteAddress('', 'ann@one.example')).toBeUndefined();
  });
});
