import { readCalendarProperties } from './calendar-reader';

const read = (...lines: string[]) =>
  readCalendarProperties([Buffer.from(lines.join('\r\n'))], { pause: () => undefined });

describe('what a calendar says of itself', () => {
  it('is read up to its first component', async () => {
    expect(
      await read(
        'BEGIN:VCALENDAR',
        'X-WR-CALNAME:A\\, b',
        'NAME:second',
        'X-WR-CALDESC:C\\nd',
        'COLOR:turquoise',
        'REFRESH-INTERVAL;VALUE=DURATION:P1DT12H',
        'BEGIN:VEVENT',
        'DESCRIPTION:of the event',
        'END:VEVENT',
        'X-WR-TIMEZONE:Europe/Berlin',
        'END:VCALENDAR',
      ),
    ).toEqual({ name: 'A, b', description: 'C\nd', color: 'turquoise', refreshMs: 129_600_000 });
  });

  it.each(['REFRESH-INTERVAL:soon', 'REFRESH-INTERVAL:-P1D', 'REFRESH-INTERVAL:P', 'NAME:', 'SUMMARY:x'])(
    'leaves out %s',
    async (line) => {
      const { refreshMs, ...rest } = (await read('BEGIN:VCALENDAR', line, 'END:VCALENDAR'))!;
      expect([refreshMs, rest]).toEqual([undefined, {}]);
    },
  );

  it.each([
    ['no lines', []],
    ['a page', ['<html>', 'BEGIN:VCALENDAR']],
    ['a component without calendar', ['BEGIN:VEVENT', 'END:VEVENT']],
    ['an end', ['END:VCALENDAR']],
  ])('is nothing in %s', async (_what, lines) => {
    expect(await read(...lines)).toBeUndefined();
  });

  it('lets others have their turn', async () => {
    let turns = 0;
    const pause = (): undefined => void (turns += 1);
    const lines = ['BEGIN:VCALENDAR', ...Array.from({ length: 100 }, () => 'NAME:x'), 'END:VCALENDAR'];
    await readCalendarProperties([Buffer.from(lines.join('\n'))], { pause });
    expect(turns).toBeGreaterThan(100);
  });
});
