import { readCalendar } from '@groupware/icalendar';
import { readCards, readContact } from '@groupware/vcard';
import { toContactObject } from './contact-object';
import { parseArguments, requireArgument, toShortIdentifier } from './conversion-arguments';
import { toEventObject } from './event-object';

describe('arguments of a conversion', () => {
  it('come as lists of names and values, or of objects with one field, by either name of the vendor', () => {
    const expected = new Map([
      ['mail.conversion.fullname', 'default0/INBOX'],
      ['mail.conversion.mailid', '7'],
      ['calendar.folder', '31'],
    ]);
    for (const vendor of ['com.example', 'com.openexchange']) {
      const pairs = [
        [`${vendor}.mail.conversion.fullname`, 'default0/INBOX'],
        [`${vendor}.mail.conversion.mailid`, 7],
        [`${vendor}.groupware.calendar.folder`, '31'],
      ] as const;
      expect(parseArguments(pairs.map(([name, value]) => ({ name, value })))).toEqual(expected);
      expect(parseArguments(pairs.map(([name, value]) => ({ [name]: value })))).toEqual(expected);
      expect(parseArguments(Object.fromEntries(pairs))).toEqual(expected);
      expect(toShortIdentifier(`${vendor}.mail.ical`)).toBe('mail.ical');
    }
    expect(parseArguments(undefined)).toEqual(new Map());
    expect(parseArguments([{ name: 'com.openexchange.grouware.calendar.recurrencePosition', value: null }])).toEqual(
      new Map([['calendar.recurrencePosition', '']]),
    );
  });

  it.each([[1], ['text'], [[1]], [[null]], [[{ a: {} }]], [[{ name: 'a', value: [] }]]])('are no %j', (args) => {
    expect(() => parseArguments(args)).toThrow('is invalid');
  });

  it('must be there where they are needed', () => {
    expect(() => requireArgument(new Map([['a', '']]), 'a')).toThrow('com.example.a is missing');
  });
});

describe('objects of parts', () => {
  it('are events with their times as the calendar tells them', async () => {
    const text = [
      'BEGIN:VCALENDAR',
      'BEGIN:VEVENT',
      'UID:u',
      'SUMMARY:S',
      'DTSTART;TZID=Europe/Berlin:20260131T090000',
      'DTEND;TZID=Europe/Berlin:20260131T100000',
      'RRULE:FREQ=DAILY;COUNT=3',
      'EXDATE;TZID=Europe/Berlin:20260201T090000',
      'ORGANIZER;CN=O:mailto:O@x.example',
      'ATTENDEE;CN=A;PARTSTAT=ACCEPTED:mailto:a@x.example',
      'END:VEVENT',
      'BEGIN:VEVENT',
      'UID:v',
      'DTSTART;VALUE=DATE:20260131',
      'END:VEVENT',
      'BEGIN:VEVENT',
      'UID:w',
      'DTSTART:20260131T090000Z',
      'END:VEVENT',
      'END:VCALENDAR',
    ].join('\r\n');
    const found: Record<string, unknown>[] = [];
    for await (const { event } of readCalendar([Buffer.from(text)], { defaultTimeZone: 'UTC', pause: () => undefined }))
      if (event) found.push(toEventObject(event));
    expect(found).toEqual([
      {
        ...{ uid: 'u', sequence: 0, summary: 'S', rrule: 'FREQ=DAILY;COUNT=3', transp: 'OPAQUE', class: 'PUBLIC' },
        startDate: { value: '20260131T090000', tzid: 'Europe/Berlin' },
        endDate: { value: '20260131T100000', tzid: 'Europe/Berlin' },
        deleteExceptionDates: ['20260201T090000'],
        organizer: { uri: 'mailto:O@x.example', cn: 'O', email: 'o@x.example' },
        attendees: [{ uri: 'mailto:a@x.example', cn: 'A', email: 'a@x.example', partStat: 'ACCEPTED' }],
      },
      expect.objectContaining({ uid: 'v', startDate: { value: '20260131' }, endDate: { value: '20260201' } }),
      expect.objectContaining({ uid: 'w', startDate: { value: '20260131T090000Z' } }),
    ]);
  });

  it('are contacts with the fields of the module contacts', async () => {
    const text =
      'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:A B\r\nN:B;A;;;\r\nEMAIL:a@x.example\r\nBDAY:1980-02-03\r\nEND:VCARD\r\n';
    for await (const { card } of readCards([Buffer.from(text)], { pause: () => undefined }))
      expect(toContactObject(readContact(card!).contact)).toMatchObject({
        ...{ display_name: 'A B', first_name: 'A', last_name: 'B', email1: 'a@x.example' },
        birthday: Date.UTC(1980, 1, 3),
      });
  });
});
