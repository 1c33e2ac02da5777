import { calendarAnswers, calendarScheduling, calendarViews } from '@groupware/contracts';
import { eventText, fileText } from '../testing/calendar-files';
import { CalendarUser } from '../testing/calendar-user';
import { runCalendar, type RunningCalendar } from '../testing/running-calendar';

const ORGANIZER = 'zoe@elsewhere.example';
const UID = 'series';
let running: RunningCalendar;

beforeAll(async () => {
  running = await runCalendar();
}, 60_000);
afterAll(() => running?.close());

interface Message {
  readonly method?: string;
  readonly sender?: string;
  readonly organizer?: string;
  readonly sentBy?: string;
  readonly sequence?: number;
  /** Day of May 2033 and time of the occurrence that is named. */
  readonly named?: string;
  readonly following?: boolean;
  /** Of the first occurrence unless told otherwise. */
  readonly start?: string;
  readonly end?: string;
  readonly lines?: readonly string[];
}
const at = (time: string): string => `203305${time.replace(' ', 'T')}0000Z`;

/** An invited user with a calendar of his own. */
class Invited {
  constructor(readonly user: CalendarUser) {}

  /** Receives messages and answers the results. */
  take(...messages: Message[]): Promise<string> {
    const [{ method = 'REQUEST', sender = ORGANIZER } = {}] = messages;
    const text = fileText(...messages.map((message) => this.event(message)));
    const { contextId } = this.user.principal;
    return running.call(calendarScheduling.receive, {
      principal: { kind: 'internal', service: 'push', contextId },
      query: { user: this.user.id, method, sender, anySender: true, text },
    });
  }

  private event(message: Message): string {
    const { sequence = 0, named, following = true, organizer = ORGANIZER, start = named ?? '02 09' } = message;
    const [day, hour] = start.split(' ');
    const end = message.end ?? `${day} ${String(Number(hour) + 1).padStart(2, '0')}`;
    return eventText(
      `UID:${UID}`,
      `SEQUENCE:${sequence}`,
      ...(named ? [`RECURRENCE-ID${following ? ';RANGE=THISANDFUTURE' : ''}:${at(named)}`] : []),
      `DTSTART:${at(start)}`,
      `DTEND:${at(end)}`,
      `ORGANIZER${message.sentBy ? `;SENT-BY="mailto:${message.sentBy}"` : ''}:mailto:${organizer}`,
      `ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:${this.user.principal.email}`,
      ...(message.lines ?? ['SUMMARY:Daily', 'RRULE:FREQ=DAILY;COUNT=8']),
    );
  }

  /** Day, hour and title of all that is there. */
  async shown(): Promise<string[]> {
    return (await this.user.all('201,200')).map(([start, title]) => {
      const text = new Date(start as number).toISOString();
      return `${text.slice(8, 10)} ${text.slice(11, 13)} ${String(title)}`;
    });
  }

  /** Ids of the series in the order of their occurrences, and what is known of each. */
  async series(): Promise<any[]> {
    const rows = await this.user.all('1,201', { recurrence_master: true });
    const ids = rows.sort((a, b) => Number(a[1]) - Number(b[1])).map(([id]) => id as string);
    return Promise.all(ids.map((id) => this.user.read(id)));
  }
}
const invited = async (): Promise<Invited> => new Invited(await CalendarUser.enter(running));
const title = (text: string) => ({ lines: [`SUMMARY:${text}`] });
const days = (from: number, to: number, hour: string, text: string): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `${String(from + index).padStart(2, '0')} ${hour} ${text}`);

describe('a change of an occurrence and all that follow, by mail', () => {
  const change: Message = { named: '05 09', start: '05 11', end: '05 13', sequence: 1, ...title('Later') };

  it('splits the series once, and asks anew where people have to answer again', async () => {
    const ann = await invited();
    await ann.take({});
    const [{ id }] = await ann.series();
    await ann.user.ask(
      calendarAnswers.confirm,
      { id, folder: ann.user.folder, timestamp: 9e12 },
      { confirmation: 1, confirmmessage: '' },
    );
    await ann.user.update(id, { alarm: 15, color_label: 4 });
    expect(await ann.take(change)).toBe('applied');
    const expected = [...days(2, 4, '09', 'Daily'), ...days(5, 9, '11', 'Later')];
    expect(await ann.shown()).toEqual(expected);
    const series = await ann.series();
    const { uid, recurrence_type } = series[1];
    expect(series.map(({ users: [{ confirm }], alarm, color_label }) => [confirm, alarm, color_label])).toEqual([
      [1, 15, 4],
      [0, 15, 4],
    ]);
    expect([series[0].id, series[0].uid, uid, recurrence_type]).toEqual([id, UID, 'series_R20330505T090000', 1]);
    expect(await ann.take(change)).toBe('ignored');
    expect(await ann.series()).toEqual(series);
    // The whole of it as it was before is no news.
    expect(await ann.take({})).toBe('ignored');
    expect(await ann.shown()).toEqual(expected);
    expect(await ann.take({ sequence: 2, lines: ['SUMMARY:New', 'RRULE:FREQ=DAILY;COUNT=2'] })).toBe('applied');
    expect(await ann.shown()).toEqual(days(2, 3, '09', 'New'));
  });

  it('leaves the answer where only other things change', async () => {
    const ann = await invited();
    await ann.take({});
    const [{ id }] = await ann.series();
    await ann.user.ask(calendarAnswers.confirm, { id, folder: ann.user.folder, timestamp: 9e12 }, { confirmation: 1 });
    await ann.take({ named: '05 09', sequence: 1, ...title('Renamed') });
    expect((await ann.series()).map(({ users: [{ confirm }] }) => confirm)).toEqual([1, 1]);
  });

  it('takes exceptions along, and finds what is said about them afterwards', async () => {
    const ann = await invited();
    const exception = (day: string, fields: Message = {}): Message => ({
      named: `${day} 09`,
      following: false,
      start: `${day} 20`,
      ...title(`On ${day}`),
      ...fields,
    });
    await ann.take({}, exception('03'), exception('05'), exception('07'));
    await ann.take(change);
    expect(await ann.shown()).toEqual([
      ...['02 09 Daily', '03 20 On 03', '04 09 Daily', '05 11 Later', '06 11 Later', '07 20 On 07'],
      ...['08 11 Later', '09 11 Later'],
    ]);
    await ann.take(exception('07', { sequence: 2, start: '07 21' }));
    await ann.take(exception('08', { sequence: 2 }));
    await ann.take(exception('06', { sequence: 2, method: 'CANCEL' }));
    await ann.take(exception('03', { sequence: 2, method: 'CANCEL' }));
    const expected = ['02 09 Daily', '04 09 Daily', '05 11 Later', '07 21 On 07', '08 20 On 08', '09 11 Later'];
    expect(await ann.shown()).toEqual(expected);
    const [, { id }] = await ann.series();
    const exceptions = await ann.user.call(calendarViews.getChangeExceptions, {
      id,
      folder: ann.user.folder,
      columns: ['207'],
    });
    expect(exceptions).toEqual([[3], [4]]);
  });

  it('is of the series itself from its first occurrence on, and counts for what was split off later', async () => {
    const ann = await invited();
    await ann.take({});
    await ann.take(change);
    const [first, second] = await ann.series();
    await ann.take({ named: '07 09', start: '07 15', sequence: 2, ...title('Last') });
    expect(await ann.shown()).toEqual([
      ...days(2, 4, '09', 'Daily'),
      ...days(5, 6, '11', 'Later'),
      ...days(7, 9, '15', 'Last'),
    ]);
    await ann.take({ named: '05 09', start: '05 12', sequence: 3, ...title('Again') });
    expect(await ann.shown()).toEqual([...days(2, 4, '09', 'Daily'), ...days(5, 9, '12', 'Again')]);
    await ann.take({ named: '02 09', start: '02 08', sequence: 4, ...title('All') });
    expect(await ann.shown()).toEqual(days(2, 9, '08', 'All'));
    expect((await ann.series()).slice(0, 2).map(({ id }) => id)).toEqual([first.id, second.id]);
    await ann.take({ named: '07 09', start: '07 16', sequence: 5, ...title('End') });
    expect(await ann.shown()).toEqual([...days(2, 6, '08', 'All'), ...days(7, 9, '16', 'End')]);
  });

  it('is of the series itself, whose files stay, where nothing is left before it', async () => {
    const ann = await invited();
    await ann.take({}, { named: '07 09', following: false, start: '07 20', ...title('Moved') });
    for (const day of ['02', '03', '04'])
      await ann.take({ method: 'CANCEL', named: `${day} 09`, following: false, sequence: 1 });
    const [series, exception] = await ann.series();
    expect(await ann.take({ ...change, sequence: 2 })).toBe('applied');
    const expected = [...days(5, 6, '11', 'Later'), '07 20 Moved', ...days(8, 9, '11', 'Later')];
    expect(await ann.shown()).toEqual(expected);
    const after = await ann.series();
    expect(after.map(({ id }) => id)).toEqual([series.id, exception.id]);
    expect(after[0].uid).toBe('series_R20330505T090000');
    expect(await ann.take({ ...change, sequence: 2 })).toBe('ignored');
    expect(await ann.take({ ...change, sequence: 3, start: '05 12' })).toBe('applied');
    expect((await ann.shown())[0]).toBe('05 12 Later');
  });

  it('comes with others and with its series in one message, in any order', async () => {
    const ann = await invited();
    const later: Message = { named: '07 09', start: '07 15', sequence: 1, ...title('Last') };
    const message = [later, { ...change, method: 'REQUEST' }, {}];
    const expected = [...days(2, 4, '09', 'Daily'), ...days(5, 6, '11', 'Later'), ...days(7, 9, '15', 'Last')];
    for (let round = 0; round < 2; round += 1) {
      await ann.take(...message);
      expect(await ann.shown()).toEqual(expected);
    }
  });

  it('is refused to everybody but the organizer, when it is old, or of a series that is not here', async () => {
    const [ann, bob] = [await invited(), await invited()];
    await ann.take({ sequence: 2 });
    const before = await ann.series();
    const other = { sender: 'm@x.example', sequence: 3 };
    for (const method of ['REQUEST', 'CANCEL']) {
      expect(await ann.take({ ...change, method })).toBe('ignored');
      expect(await ann.take({ ...change, ...other, method })).toBe('ignored');
      expect(await ann.take({ ...change, ...other, method, organizer: 'm@x.example' })).toBe('ignored');
      // SENT-BY of a message is no proof.
      expect(await ann.take({ ...change, ...other, method, sentBy: other.sender })).toBe('ignored');
      expect(await ann.take({ ...other, method, sentBy: other.sender })).toBe('ignored');
      expect(await ann.take({ ...change, method, sequence: 3, named: '05 10' })).toBe('ignored');
      expect(await bob.take({ ...change, method })).toBe('ignored');
    }
    expect(await ann.series()).toEqual(before);
    expect(await bob.shown()).toEqual([]);
    // An appointment organized here is changed by no other organizer.
    await bob.user.create({
      uid: UID,
      recurrence_type: 1,
      interval: 1,
      occurrences: 5,
      start_date: Date.UTC(2033, 4, 2, 9),
      end_date: Date.UTC(2033, 4, 2, 10),
    });
    for (const method of ['REQUEST', 'CANCEL'])
      expect(await bob.take({ ...change, method, sequence: 9 })).toBe('ignored');
    expect(await bob.shown()).toEqual(days(2, 6, '09', 'T'));
  });
});

describe('a cancellation of an occurrence and all that follow, by mail', () => {
  const off = (day: string, sequence = 2): Message => ({ method: 'CANCEL', named: `${day} 09`, sequence });

  it('ends the series, with its exceptions, and brings nothing back', async () => {
    const ann = await invited();
    const exception: Message = { named: '07 09', following: false, start: '07 20', ...title('One') };
    await ann.take({}, exception);
    expect(await ann.take(off('05'))).toBe('applied');
    expect(await ann.shown()).toEqual(days(2, 4, '09', 'Daily'));
    expect(await ann.take(off('05'))).toBe('ignored');
    expect(await ann.take({ ...exception, sequence: 1 })).toBe('ignored');
    expect(await ann.take({ sequence: 1 })).toBe('ignored');
    expect(await ann.shown()).toEqual(days(2, 4, '09', 'Daily'));
    expect(await ann.take(off('02', 3))).toBe('applied');
    expect(await ann.shown()).toEqual([]);
    expect(await ann.series()).toEqual([]);
  });

  it('ends what was split off, and goes on to what was split off later', async () => {
    const ann = await invited();
    await ann.take({});
    for (const [day, hour] of [
      ['04', '10'],
      ['07', '11'],
    ])
      await ann.take({ named: `${day} 09`, start: `${day} ${hour}`, sequence: 1, ...title('Part') });
    expect(await ann.take(off('05', 0))).toBe('ignored');
    expect(await ann.take(off('05'))).toBe('applied');
    expect(await ann.shown()).toEqual([...days(2, 3, '09', 'Daily'), '04 10 Part']);
    expect(await ann.take({ method: 'CANCEL', sequence: 3 })).toBe('applied');
    expect(await ann.shown()).toEqual([]);
  });

  it('counts for single occurrences of a series that is not known', async () => {
    const ann = await invited();
    const one = (day: string, sequence = 0): Message => ({
      ...{ named: `${day} 09`, following: false, sequence },
      ...title('One'),
    });
    await ann.take(one('03'));
    await ann.take(one('06'));
    expect(await ann.take(off('05'))).toBe('applied');
    expect(await ann.take(one('07', 1))).toBe('ignored');
    expect(await ann.shown()).toEqual(['03 09 One']);
    expect(await ann.take(one('07', 3))).toBe('applied');
  });
});
