import ICAL from 'ical.js';
import { writeFreeBusy } from './free-busy-writer';

describe('writeFreeBusy', () => {
  const times = {
    prodId: '-//Groupware//Calendar//EN',
    uid: 'u-1',
    nowMs: Date.UTC(2026, 0, 2, 3, 4, 5),
    startMs: Date.UTC(2026, 0, 1),
    endMs: Date.UTC(2026, 0, 31),
    address: `${'long'.repeat(30)}@example.com`,
    periods: [
      { startMs: Date.UTC(2026, 0, 5, 9), endMs: Date.UTC(2026, 0, 5, 10, 30), type: 'BUSY-TENTATIVE' },
      { startMs: Date.UTC(2026, 0, 6, 9), endMs: Date.UTC(2026, 0, 6, 10) },
    ],
  };

  it('is read by another parser', () => {
    const calendar = new ICAL.Component(ICAL.parse(writeFreeBusy(times)) as unknown[]);
    expect(calendar.getFirstPropertyValue('method')).toBe('PUBLISH');
    const busy = calendar.getFirstSubcomponent('vfreebusy')!;
    expect(String(busy.getFirstPropertyValue('dtstart'))).toBe('2026-01-01T00:00:00Z');
    expect(String(busy.getFirstPropertyValue('dtend'))).toBe('2026-01-31T00:00:00Z');
    expect(busy.getFirstPropertyValue('attendee')).toBe(`mailto:${times.address}`);
    expect(
      busy
        .getAllProperties('freebusy')
        .map((property) => [property.getFirstParameter('fbtype'), property.toICALString()]),
    ).toEqual([
      ['BUSY-TENTATIVE', 'FREEBUSY;FBTYPE=BUSY-TENTATIVE:20260105T090000Z/20260105T103000Z'],
      [undefined, 'FREEBUSY:20260106T090000Z/20260106T100000Z'],
    ]);
  });

  it('ends lines with CRLF and folds them at 75 octets', () => {
    const lines = writeFreeBusy(times).split('\r\n');
    expect(lines.every((line) => !line.includes('\n') && Buffer.byteLength(line) <= 75)).toBe(true);
  });
});
