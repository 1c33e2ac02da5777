import { resolveRequestTimeZone, resolveTimeZone, ZoneOffsets } from './index';

const HOUR = 3_600_000;

describe('resolveTimeZone', () => {
  it.each([
    ['Europe/Berlin', 'Europe/Berlin'],
    ['europe/berlin', 'Europe/Berlin'],
    ['US/Eastern', 'US/Eastern'],
    ['us/eastern', 'US/Eastern'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
    ['UTC', 'UTC'],
    ['Z', 'UTC'],
    ['GMT', 'UTC'],
    ['Etc/UTC', 'UTC'],
    ['tzone://Microsoft/Utc', 'UTC'],
    ['GMT+08:00', 'GMT+08:00'],
    ['UTC+2', 'GMT+02:00'],
    ['-0330', 'GMT-03:30'],
    ['GMT+0', 'UTC'],
    ['W. Europe Standard Time', 'Europe/Berlin'],
    ['w. europe standard time', 'Europe/Berlin'],
    ['Eastern Standard Time', 'America/New_York'],
    ['Pacific Standard Time', 'America/Los_Angeles'],
    ['"Europe/Paris"', 'Europe/Paris'],
    [' Europe/Paris ', 'Europe/Paris'],
    ['/mozilla.org/20050126_1/Europe/Berlin', 'Europe/Berlin'],
    ['/freeassociation.sourceforge.net/Europe/Berlin', 'Europe/Berlin'],
    ['/freeassociation.sourceforge.net/Tzfile/America/New_York', 'America/New_York'],
    ['/citadel.org/20210210_1/America/Argentina/Salta', 'America/Argentina/Salta'],
    ['/Europe/Stockholm', 'Europe/Stockholm'],
    ['posix/Europe/Vaduz', 'Europe/Vaduz'],
  ])('%s is %s', (id, name) => {
    expect(resolveTimeZone(id)).toBe(name);
    expect(() => ZoneOffsets.forZone(name)).not.toThrow();
  });

  it.each([
    '',
    'Eastern',
    'Fictitious',
    'MyTimezone',
    '/Europe/CUSTOM',
    'custom_America/New_York',
    'GMT+25',
    '(UTC-03:00) Brasília',
    'Customized Time Zone',
    'x'.repeat(1_000),
  ])('%.40s is unknown', (id) => {
    expect(resolveTimeZone(id)).toBeUndefined();
  });

  it('gives names Windows zones resolve to that ICU knows', () => {
    for (const name of ['Tokyo Standard Time', 'India Standard Time', 'AUS Eastern Standard Time', 'UTC', 'UTC-11']) {
      expect(() => ZoneOffsets.forZone(resolveTimeZone(name) ?? '')).not.toThrow();
    }
  });
});

describe('ZoneOffsets', () => {
  const berlin = ZoneOffsets.forZone('Europe/Berlin');

  it('knows the offset on both sides of a change', () => {
    const spring = Date.UTC(2020, 2, 29, 1);
    expect(berlin.offsetAt(spring - 1)).toBe(HOUR);
    expect(berlin.offsetAt(spring)).toBe(2 * HOUR);
    expect(berlin.transitions(Date.UTC(2020, 0, 1), Date.UTC(2021, 0, 1))).toEqual([
      { atMs: spring, offsetMs: 2 * HOUR },
      { atMs: Date.UTC(2020, 9, 25, 1), offsetMs: HOUR },
    ]);
    expect(berlin.transitions(spring, spring)).toEqual([]);
    expect(berlin.transitions(spring, spring + 1)).toHaveLength(1);
  });

  it('resolves gap and overlap (decision D13)', () => {
    expect(berlin.localToInstant(Date.UTC(2020, 2, 29, 1, 59))).toBe(Date.UTC(2020, 2, 29, 0, 59));
    expect(berlin.localToInstant(Date.UTC(2020, 2, 29, 2, 30))).toBe(Date.UTC(2020, 2, 29, 1, 30));
    expect(berlin.localToInstant(Date.UTC(2020, 2, 29, 3, 0))).toBe(Date.UTC(2020, 2, 29, 1, 0));
    expect(berlin.localToInstant(Date.UTC(2020, 9, 25, 2, 30))).toBe(Date.UTC(2020, 9, 25, 0, 30));
    expect(berlin.localToInstant(Date.UTC(2020, 9, 25, 3, 0))).toBe(Date.UTC(2020, 9, 25, 2, 0));
  });

  it('resolves a day that a zone left out', () => {
    const apia = ZoneOffsets.forZone('Pacific/Apia');
    // 30 December 2011 does not exist there: the offset before, -10:00, counts.
    expect(apia.localToInstant(Date.UTC(2011, 11, 30, 12))).toBe(Date.UTC(2011, 11, 30, 22));
    expect(apia.localToInstant(Date.UTC(2011, 11, 31, 12))).toBe(Date.UTC(2011, 11, 30, 22));
  });

  it('agrees with ICU far in the past and the future', () => {
    const old = ZoneOffsets.forZone('Europe/Amsterdam');
    expect(old.offsetAt(-1e15)).toBe(old.offsetAt(Date.UTC(1800, 0, 1)));
    expect(berlin.offsetAt(Date.UTC(2345, 6, 1))).toBe(2 * HOUR);
    expect(berlin.offsetAt(8e15)).toBe(HOUR);
    expect(berlin.instantToLocal(Date.UTC(2345, 0, 1))).toBe(Date.UTC(2345, 0, 1, 1));
  });

  it('takes fixed offsets', () => {
    const fixed = ZoneOffsets.forZone('GMT-03:30');
    expect(fixed.offsetAt(0)).toBe(-3.5 * HOUR);
    expect(fixed.localToInstant(0)).toBe(3.5 * HOUR);
    expect(fixed.transitions(0, 1e12)).toEqual([]);
    expect(ZoneOffsets.forZone('UTC').offsetAt(1e15)).toBe(0);
  });

  it('refuses unknown names', () => {
    expect(() => ZoneOffsets.forZone('No/Where')).toThrow(expect.objectContaining({ code: 'INVALID_RULE' }));
  });
});

describe('resolveRequestTimeZone', () => {
  const toError = (parameter: string) => new Error(`no ${parameter}`);

  it.each([
    ['us/eastern', 'Europe/Berlin', 'US/Eastern'],
    [undefined, 'europe/berlin', 'Europe/Berlin'],
    ['', 'Europe/Berlin', 'Europe/Berlin'],
    [undefined, 'Nowhere/Here', 'UTC'],
  ])('takes %p before %s: %s', (parameter, userZone, expected) =>
    expect(resolveRequestTimeZone(parameter, userZone, toError)).toBe(expected),
  );

  it('refuses a parameter that names no zone', () =>
    expect(() => resolveRequestTimeZone('Nowhere/Here', 'UTC', toError)).toThrow('no Nowhere/Here'));
});
