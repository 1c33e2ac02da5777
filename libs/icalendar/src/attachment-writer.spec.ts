import { addAttachments } from './attachment-writer';

const text = (...lines: string[]): string => lines.map((line) => `${line}\r\n`).join('');
const calendar = text(
  ...['BEGIN:VCALENDAR', 'BEGIN:VEVENT', 'UID:a', 'SUMMARY:x', ' BEGIN:VEVENT', 'END:VEVENT'],
  ...['BEGIN:VEVENT', 'UID:b', 'END:VEVENT', 'END:VCALENDAR'],
);

describe('attachments of a written calendar', () => {
  it('go to the events at their positions', () => {
    const file = { uri: 'cid:1@x.example', fileName: 'Plan; neu.txt', formatType: 'text/plain', size: 5 };
    expect(addAttachments(calendar, [[], [file, { uri: 'cid:2@x.example' }]])).toBe(
      text(
        ...['BEGIN:VCALENDAR', 'BEGIN:VEVENT', 'UID:a', 'SUMMARY:x', ' BEGIN:VEVENT', 'END:VEVENT', 'BEGIN:VEVENT'],
        'ATTACH;FMTTYPE=text/plain;FILENAME="Plan; neu.txt";SIZE=5:cid:1@x.example',
        ...['ATTACH:cid:2@x.example', 'UID:b', 'END:VEVENT', 'END:VCALENDAR'],
      ),
    );
    expect(addAttachments(calendar, [])).toBe(calendar);
  });

  it('are folded, and nothing of their names begins a line of its own', () => {
    const [, line = ''] = /^(ATTACH[^]*?)\r\nUID:a/m.exec(
      addAttachments(calendar, [[{ uri: 'cid:1', fileName: `${'ü'.repeat(60)}\r\nUID:c"` }]]),
    )!;
    const lines = line.split('\r\n');
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.slice(1).every((each) => each.startsWith(' '))).toBe(true);
    expect(Math.max(...lines.map((each) => Buffer.byteLength(each)))).toBeLessThanOrEqual(75);
  });
});
