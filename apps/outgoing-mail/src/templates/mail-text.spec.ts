import { writeMailText } from './mail-text';

const values = {
  sender: 'Anna',
  folder: 'Team "A"',
  url: 'https://x.example/share/a?b=1&c=2',
  message: 'Hi,\n<b>x</b>',
};

describe('the text of a mail', () => {
  it('is in the language of the recipient, English for languages without a translation', () => {
    const subjects = ['en_US', 'de_DE', 'de-AT', 'xx'].map(
      (locale) => writeMailText('shareLink', values, locale).subject,
    );
    expect(subjects).toEqual([
      'Anna shares “Team "A"” with you',
      'Anna gibt „Team "A"“ für Sie frei',
      'Anna gibt „Team "A"“ für Sie frei',
      'Anna shares “Team "A"” with you',
    ]);
  });

  it('SH-22 escapes what users write in the HTML part, and quotes it in the plain one', () => {
    const { text, html } = writeMailText('shareLink', values, 'en_US');
    expect(text).toContain('> Hi,\n> <b>x</b>\n');
    expect(text).toContain('Open: https://x.example/share/a?b=1&c=2\n');
    expect(html).toContain('<blockquote>Hi,<br>&lt;b&gt;x&lt;/b&gt;</blockquote>');
    expect(html).toContain('href="https://x.example/share/a?b=1&amp;c=2"');
    expect(html).not.toContain('<b>');
  });

  it.each([
    [undefined, 'valid for one hour and once', 'gilt eine Stunde lang und einmal'],
    [3_600_000, 'valid for one hour and once', 'gilt eine Stunde lang und einmal'],
    [7_200_000, 'valid for 2 hours and once', 'gilt 2 Stunden lang und einmal'],
    [5_430_000, 'valid for 90 minutes and once', 'gilt 90 Minuten lang und einmal'],
    [60_000, 'valid for one minute and once', 'gilt eine Minute lang und einmal'],
  ])('tells how long the address for a new password lives: %p ms', (validMs, english, german) => {
    const reset = { sender: 'g@x.example', url: 'https://x.example/', ...(validMs && { validMs }) };
    for (const [locale, expected] of [
      ['en_US', english],
      ['fr_FR', english],
      ['de_DE', german],
    ] as const)
      expect(writeMailText('guestPassword', reset, locale).text.replace(/\s+/g, ' ')).toContain(expected);
  });

  it('has a subject of one line', () => {
    const { subject } = writeMailText('folderShared', { sender: 'Anna\r\nBcc: eve@x.example\u0000' }, 'en');
    expect(subject).toBe('Anna Bcc: eve@x.example shares a folder with you');
  });

  it.each([
    ['calendar', 'the calendar “A”', 'den Kalender „A“', 'Sie finden ihn unter Ihren freigegebenen Kalendern.'],
    [
      'contacts',
      'the address book “A”',
      'das Adressbuch „A“',
      'Sie finden es unter Ihren freigegebenen Adressbüchern.',
    ],
    [
      'tasks',
      'the task folder “A”',
      'den Aufgabenordner „A“',
      'Sie finden ihn unter Ihren freigegebenen Aufgabenordnern.',
    ],
    ['infostore', 'the folder “A”', 'den Ordner „A“', 'Sie finden ihn unter Ihren freigegebenen Dateien.'],
    ['document', 'the document “A”', 'das Dokument „A“', 'Sie finden es unter Ihren freigegebenen Dateien.'],
  ] as const)('names what is shared: %s', (shared, english, german, place) => {
    const share = { sender: 'Anna', folder: 'A', url: 'https://x.example/', shared };
    const templates = [
      'shareLink',
      'guestInvitation',
      shared === 'document' ? 'documentShared' : 'folderShared',
    ] as const;
    for (const template of templates) {
      const [en, de] = [writeMailText(template, share, 'en_US'), writeMailText(template, share, 'de_DE')];
      expect([en.subject, de.subject]).toEqual([`Anna shares ${english} with you`, `Anna gibt ${german} für Sie frei`]);
      expect(en.text).toContain(english);
      expect(de.text).toContain(german.slice(german.indexOf(' ') + 1));
    }
    expect(writeMailText(templates[2], share, 'de_DE').text).toContain(place);
    // Without the kind the text fits all.
    const unnamed = writeMailText(templates[0], { ...share, shared: undefined }, 'en_US');
    expect(unnamed.subject).toBe('Anna shares “A” with you');
  });

  it('takes values as they are, also those that look like places of the template', () => {
    const { text } = writeMailText('guestInvitation', { ...values, folder: '%1 %2', message: undefined }, 'en');
    expect(text).toContain('Anna has shared “%1 %2” with you.');
    expect(text).not.toContain('writes');
  });

  it.each<[string, { endMs?: number; wholeDays?: boolean; recurring?: boolean; timeZone?: string }, string]>([
    [
      'times in their zone',
      { timeZone: 'America/Bogota' },
      'When: Thursday, June 5, 2031, 3:00 – 4:30\u202fAM (America/Bogota)',
    ],
    [
      'whole days without the one after',
      { endMs: Date.UTC(2031, 5, 7), wholeDays: true },
      'When: Thursday, June 5 – Friday, June 6, 2031',
    ],
    ['a series', { recurring: true }, 'When: Thursday, June 5, 2031, 8:00 – 9:30\u202fAM, and further dates'],
    ['a zone that is none', { timeZone: 'Mars/Olympus' }, '(Mars/Olympus)'],
  ])('tells of an event %s', (_what, more, expected) => {
    const start = Date.UTC(2031, 5, 5, more.endMs ? 0 : 8);
    const event = { sender: 'Anna', summary: '<b>P</b>', startMs: start, endMs: start + 5_400_000, ...more };
    const { subject, text, html } = writeMailText('eventInvitation', event, 'en_US');
    expect(subject).toBe('Invitation: <b>P</b>');
    expect(text.replaceAll('\u2009', ' ')).toContain(expected);
    expect(html).not.toContain('<b>');
  });

  it('tells of a task when it begins and is due, and what of it is different, in the language of the recipient', () => {
    const due = Date.UTC(2031, 5, 5, 8);
    const task = {
      sender: 'Anna',
      startMs: due - 3_600_000,
      endMs: due,
      timeZone: 'Europe/Berlin',
      status: 4,
      percent: 0,
    };
    const text = (values: object, locale = 'en_US'): string =>
      writeMailText('taskUpdate', { ...task, ...values }, locale).text.replaceAll('\u202f', ' ');
    expect(text({ changed: ['time', 'state'] })).toBe(
      [
        'Anna has changed the task “Task without title”.',
        'Start: Thursday, June 5, 2031 at 9:00 AM (Europe/Berlin)\nDue: Thursday, June 5, 2031 at 10:00 AM (Europe/Berlin)',
        'The task is now due Thursday, June 5, 2031 at 10:00 AM (Europe/Berlin).\nThe task is now waiting.',
        '-- \nThis mail was sent automatically.\n',
      ].join('\n\n'),
    );
    const undated = { startMs: undefined, endMs: undefined, status: 2, percent: 40, changed: ['time', 'state'] };
    expect(text(undated, 'de_DE')).toContain(
      'Die Aufgabe hat kein Fälligkeitsdatum mehr.\nDie Aufgabe ist jetzt in Bearbeitung. Fortschritt: 40 %',
    );
    expect(text(undated)).not.toMatch(/Start:|Due:/);
  });
});
