import { parseContentLine } from './content-line';

describe('a content line', () => {
  it('may name a zone by an address without quotes', () => {
    expect(parseContentLine('DTSTART;TZID=tzone://Microsoft/Utc:20240401T090000')?.slice(1)).toEqual([
      { tzid: 'tzone://Microsoft/Utc' },
      'date-time',
      '20240401T090000',
    ]);
    expect(parseContentLine('X-A;TZID=tzone:b')?.slice(1)).toEqual([{ tzid: 'tzone' }, 'unknown', 'b']);
  });

  it('holds all values of a list that is given twice', () => {
    expect(parseContentLine('ATTENDEE;DELEGATED-TO="a\\","b";DELEGATED-TO="c","d":mailto:x@y.z')).toEqual([
      'attendee',
      { 'delegated-to': ['a\\', 'b', 'c', 'd'] },
      'cal-address',
      'mailto:x@y.z',
    ]);
  });
});
