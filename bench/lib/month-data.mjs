/** The calendar of the month view: single appointments and weekly series over ten years, in the zone of Berlin. */
export const SINGLES = 9_500;
export const SERIES = 500;
const FIRST_DAY = Date.UTC(2021, 0, 4);
const DAYS = 3_640;
const DAY = 86_400_000;
const WORDS = 'project budget review planning customer design release status sync roadmap interview audit'.split(' ');

/** Numbers from 0 to 1, the same in every run. */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

const stamp = (ms) => new Date(ms).toISOString().replace(/[-:]|\.\d+Z$/g, '');

/** The calendar as iCalendar text. Series have 10 to 40 occurrences, every 50th has no end; every 10th lost one. */
export const monthCalendar = () => monthCalendars(1)[0];

/** The same dealt out to several calendars. */
export function monthCalendars(count) {
  const calendars = Array.from({ length: count }, () => ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//bench//EN']);
  const random = randomNumbers(42);
  const pick = (list) => list[Math.floor(random() * list.length)];
  for (let index = 0; index < SINGLES + SERIES; index++) {
    const lines = calendars[index % count];
    // Monday to Friday, 8:00 to 17:45.
    const day = Math.floor(random() * (DAYS / 7)) * 7 + Math.floor(random() * 5);
    const start = FIRST_DAY + day * DAY + (32 + Math.floor(random() * 40)) * 900_000;
    const end = start + pick([900_000, 1_800_000, 3_600_000, 5_400_000]);
    lines.push('BEGIN:VEVENT', `UID:month-${index}@bench.example`, `DTSTAMP:20260101T000000Z`);
    lines.push(`DTSTART;TZID=Europe/Berlin:${stamp(start)}`, `DTEND;TZID=Europe/Berlin:${stamp(end)}`);
    lines.push(`SUMMARY:${pick(WORDS)} ${pick(WORDS)} ${pick(WORDS)}`, `LOCATION:Room ${Math.floor(random() * 12)}`);
    if (random() < 0.5) lines.push(`DESCRIPTION:${Array.from({ length: 30 }, () => pick(WORDS)).join(' ')}`);
    if (index >= SINGLES) {
      const number = index - SINGLES;
      const count = 10 + Math.floor(random() * 31);
      lines.push(number % 50 === 0 ? 'RRULE:FREQ=WEEKLY' : `RRULE:FREQ=WEEKLY;COUNT=${count}`);
      if (number % 10 === 3) lines.push(`EXDATE;TZID=Europe/Berlin:${stamp(start + 28 * DAY)}`);
    }
    lines.push('END:VEVENT');
  }
  return calendars.map((lines) => `${[...lines, 'END:VCALENDAR'].join('\r\n')}\r\n`);
}
