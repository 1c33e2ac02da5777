import { formatContentLine, parseContentLine } from './content-line';

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

  it('writes several values of a parameter, one too, as lists of RFC 7986 or as one text', () => {
    const meeting = (feature: string[], more: object = {}): string =>
      formatContentLine(['conference', { feature, ...more }, 'uri', 'https://meet.example/1']);
    expect(meeting(['VIDEO'])).toBe('CONFERENCE;FEATURE=VIDEO;VALUE=URI:https://meet.example/1\r\n');
    const line = meeting(['AUDIO', 'VIDEO'], { 'x-a': ['b', 'c'] });
    expect(line).toBe('CONFERENCE;FEATURE=AUDIO,VIDEO;X-A="b,c";VALUE=URI:https://meet.example/1\r\n');
    expect(parseContentLine(line.trim())?.[1]).toEqual({ feature: ['AUDIO', 'VIDEO'], 'x-a': 'b,c' });
  });
});
