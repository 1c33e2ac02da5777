import fc from 'fast-check';
import {
  calendarEvents,
  calendarScheduling,
  chronos,
  chronosChanges,
  type EventMessage,
  type OutgoingScheduling,
} from '@groupware/contracts';
import { type CalendarEvent, readCalendar, writeCalendar } from '@groupware/icalendar';
import { Bus, EventBus } from '@groupware/messaging';
import { until } from '@groupware/test-kit';
import { toInstant } from '../icalendar/from-event';
import { CalendarUser } from '../testing/calendar-user';
import { passOver, runCalendar, type RunningCalendar } from '../testing/running-calendar';

/** Exchanges; the number is for a deeper look by hand. */
const RUNS = Number(process.env.SCHEDULING_PROPERTY_RUNS ?? 8);
const SEED = Number(process.env.SCHEDULING_PROPERTY_SEED ?? 20_260_101);
const FOREVER = 9_000_000_000_000;
const RANGE = { rangeStart: '20330101T000000Z', rangeEnd: '20340101T000000Z' };
const DAYS = 4;

type Message = OutgoingScheduling & { readonly contextId: number };

let running: RunningCalendar;
let bus: Bus;
let events: EventBus;
const sent: Message[] = [];

beforeAll(async () => {
  running = await runCalendar();
  bus = await Bus.connect({ url: running.environment.NATS_URL!, prefix: running.environment.GROUPWARE_BUS_PREFIX! });
  events = new EventBus(bus);
  await events.open();
  await events.subscribe('listener', calendarEvents['scheduling.requested'], async (message: EventMessage<any>) => {
    sent.push({ ...(message.payload as OutgoingScheduling), contextId: message.contextId });
  });
}, 60_000);
afterAll(async () => {
  await events?.close();
  await bus?.close();
  await running?.close();
});

let marker: Party;
let marks = 0;

/** All messages since the last call: they are heard in order, and one that is sent now marks the end. */
async function takeSent(): Promise<Message[]> {
  marker ??= new Party(await CalendarUser.enter(running));
  const address = `mark${(marks += 1)}@marks.example`;
  const [startDate, endDate] = [at(START), at(START + HOUR)];
  await marker.create({ summary: 'Mark', startDate, endDate, attendees: [{ uri: `mailto:${address}` }] });
  const isMark = ({ recipients }: Message): boolean => recipients[0]!.address === address;
  await until(() => Promise.resolve(sent.some(isMark)));
  return sent.splice(0).filter((message) => !isMark(message));
}

const at = (ms: number): { value: string } => ({ value: new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '') });
const START = Date.UTC(2033, 4, 2, 9);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const recurrenceId = (day: number): string => at(START + day * DAY).value;

/** A party as the others see it: titles, places and times of all that it knows, and how it answers. */
type View = string[];
const describeEvent = (start: number, end: number, summary?: string, location?: string): string =>
  `${new Date(start).toISOString()} ${(end - start) / HOUR}h ${summary ?? ''} @ ${location ?? ''}`;

/** A user of ours, of one context, by the event interface. */
class Party {
  constructor(readonly user: CalendarUser) {}

  get address(): string {
    return this.user.principal.email;
  }

  private get folder(): string {
    return `cal://0/${this.user.folder}`;
  }

  async find(uid: string): Promise<string | undefined> {
    const list = await this.user.call<any[]>(chronos.all, { ...RANGE, folder: this.folder, expand: false });
    return list.find((each) => each.uid === uid && (!each.seriesId || each.seriesId === each.id))?.id;
  }

  async create(body: object): Promise<any> {
    const written = await this.user.call(chronosChanges.new, { folder: this.folder }, body);
    return written.created[0];
  }

  update(id: string, event: object, query: object = {}): Promise<unknown> {
    return this.user.ask(chronosChanges.update, { folder: this.folder, id, timestamp: FOREVER, ...query }, { event });
  }

  remove(id: string, query: object = {}): Promise<unknown> {
    const events = [{ id, folder: this.folder, ...query }];
    return this.user.ask(chronosChanges.delete, { timestamp: FOREVER }, [{ events }]);
  }

  async reply(id: string, partStat: string): Promise<void> {
    const attendee = { entity: this.user.id, partStat };
    await this.user.ask(chronosChanges.updateAttendee, { folder: this.folder, id, timestamp: FOREVER }, { attendee });
  }

  async receive({ method, calendar, from }: Message): Promise<void> {
    await running.call(calendarScheduling.receive, {
      principal: { kind: 'internal', service: 'push', contextId: this.user.principal.contextId },
      query: { user: this.user.id, method, sender: from.address.toLowerCase(), anySender: true, text: calendar },
    });
  }

  async view(): Promise<View> {
    const list = await this.user.call<any[]>(chronos.all, { ...RANGE, folder: this.folder, expand: true });
    const time = ({ value }: { value: string }): number =>
      Date.parse(value.replace(/(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z?/, '$1-$2-$3T$4:$5:$6Z'));
    return list
      .map(({ startDate, endDate, summary, location }) =>
        describeEvent(time(startDate), time(endDate), summary, location),
      )
      .sort();
  }

  async answersOf(id: string): Promise<Record<string, string>> {
    const event = await this.user.call<any>(chronos.get, { folder: this.folder, id });
    return Object.fromEntries(event.attendees.map((each: any) => [each.email.toLowerCase(), each.partStat]));
  }
}

/** A calendar program elsewhere that does what RFC 5546 says, and no more. */
class Mailbox {
  private readonly parts = new Map<string, CalendarEvent>();
  private readonly cancelled = new Map<string, CalendarEvent>();
  private clock = Date.UTC(2033, 0, 1);

  constructor(readonly address: string) {}

  async receive({ method, calendar }: Message): Promise<void> {
    for await (const { event } of readCalendar([Buffer.from(calendar)], {
      defaultTimeZone: 'UTC',
      pause: () => undefined,
    })) {
      const key = event!.recurrenceId ? String(toInstant(event!.recurrenceId)) : '';
      const isOlder = (known: CalendarEvent | undefined): boolean =>
        known !== undefined &&
        (event!.sequence - known.sequence || (event!.dtstampMs ?? 0) - (known.dtstampMs ?? 0)) <= 0;
      if (isOlder(this.parts.get(key)) || isOlder(this.cancelled.get(key)) || isOlder(this.cancelled.get(''))) continue;
      if (method === 'CANCEL') this.cancelled.set(key, event!);
      else this.parts.set(key, event!);
    }
  }

  view(): View {
    const main = this.current('');
    const shown: string[] = [];
    const count = main?.rrule ? DAYS : 1;
    const days = main ? Array.from({ length: count }, (_, day) => toInstant(main.start) + day * DAY) : [];
    for (const start of days) {
      const override = this.parts.get(String(start));
      const isNewer = override && override.dtstampMs! >= main!.dtstampMs!;
      if (this.isCancelled(String(start)) || main!.exdates.includes(start)) continue;
      const event = override && (isNewer || main!.rrule) ? override : main!;
      const from = event === main ? start : toInstant(event.start);
      const length = toInstant(event.end) - toInstant(event.start);
      shown.push(describeEvent(from, from + length, event.summary, event.location));
    }
    return shown.sort();
  }

  private current(key: string): CalendarEvent | undefined {
    const event = this.parts.get(key);
    return event && !this.isCancelled(key) ? event : undefined;
  }

  private isCancelled(key: string): boolean {
    const [cancelled, event] = [this.cancelled.get(key), this.parts.get(key) ?? this.parts.get('')];
    if (!cancelled) return false;
    return !event || cancelled.sequence > event.sequence || cancelled.dtstampMs! > event.dtstampMs!;
  }

  /** The answer to what it knows; undefined for nothing. */
  async reply(partStat: string, organizer: string): Promise<Message | undefined> {
    const event = this.current('');
    if (!event) return undefined;
    this.clock += 1_000;
    const attendees = [{ uri: `mailto:${this.address}`, partStat }];
    let calendar = '';
    const answered = { ...event, attendees, dtstampMs: this.clock };
    for await (const part of writeCalendar([answered], { prodId: 'elsewhere', method: 'REPLY' })) calendar += part;
    const recipients = [{ address: organizer }];
    return {
      ...{ contextId: 0, userId: 0, method: 'REPLY', calendar, recipients, from: { address: this.address } },
      ...{ template: 'eventAccepted', values: { sender: this.address } },
    };
  }
}

const partStat = fc.constantFrom('ACCEPTED', 'DECLINED', 'TENTATIVE');
const common = [
  fc.record({ kind: fc.constantFrom('rename' as const, 'place' as const), value: fc.nat(20) }),
  fc.record({ kind: fc.constantFrom('uninvite' as const, 'invite' as const) }),
  fc.record({ kind: fc.constant('answer' as const), who: fc.constantFrom('bob' as const, 'zoe' as const), partStat }),
  fc.record({ kind: fc.constant('deliver' as const), order: fc.nat(100), twice: fc.boolean() }),
  fc.record({ kind: fc.constant('deliver' as const), order: fc.nat(100), twice: fc.boolean() }),
];
const single = fc.oneof(
  ...common,
  fc.record({ kind: fc.constant('move' as const), value: fc.integer({ min: -5, max: 5 }) }),
);
const series = fc.oneof(
  ...common,
  fc.record({ kind: fc.constantFrom('occurrence' as const, 'cancel' as const), value: fc.nat(DAYS - 1) }),
);
const exchange = fc.oneof(
  fc.record({ rrule: fc.constant(undefined), steps: fc.array(single, { minLength: 4, maxLength: 9 }) }),
  fc.record({
    rrule: fc.constant(`FREQ=DAILY;COUNT=${DAYS}`),
    steps: fc.array(series, { minLength: 4, maxLength: 9 }),
  }),
);

let addresses = 0;

describe('RFC 5546: an organizer, an attendee of another server, and a mailbox elsewhere', () => {
  it('agree in the end, in whatever order messages arrive, and however often', async () => {
    await fc.assert(
      fc.asyncProperty(
        exchange,
        fc.array(fc.nat(100), { minLength: 40, maxLength: 40 }),
        async ({ rrule, steps }, dice) => {
          const number = (addresses += 1);
          const ann = new Party(await CalendarUser.enter(running));
          const bob = new Party(
            await CalendarUser.enter(running, { contextId: 2, email: `bob${number}@second.example` }),
          );
          const zoe = new Mailbox(`zoe${number}@mailbox.example`);
          const invited = (withZoe: boolean) => [
            { entity: ann.user.id },
            { uri: `mailto:${bob.address}` },
            ...(withZoe ? [{ uri: `mailto:${zoe.address}` }] : []),
          ];
          const flying: { readonly to: string; readonly message: Message }[] = [];
          const post = (messages: readonly Message[]): void => {
            for (const message of messages)
              for (const { address } of message.recipients) flying.push({ to: address.toLowerCase(), message });
          };
          const deliver = async (order: number, twice: boolean): Promise<void> => {
            if (flying.length === 0) return;
            const [letter] = flying.splice(order % flying.length, 1);
            const receiver = [ann, bob, zoe].find(({ address }) => address.toLowerCase() === letter!.to)!;
            await receiver.receive(letter!.message);
            if (twice) flying.push(letter!);
            post(await takeSent());
          };
          const event = await ann.create({
            summary: 'E',
            startDate: at(START),
            endDate: at(START + HOUR),
            attendees: invited(true),
            ...(rrule && { rrule }),
          });
          const { id, uid } = event;
          post(await takeSent());
          for (const step of steps) {
            if (step.kind === 'rename') await ann.update(id, { summary: `S${step.value}` });
            if (step.kind === 'place') await ann.update(id, { location: `L${step.value}` });
            if (step.kind === 'move') {
              const start = START + step.value * HOUR;
              await ann.update(id, { startDate: at(start), endDate: at(start + HOUR) });
            }
            if (step.kind === 'occurrence')
              await ann
                .update(id, { location: `O${step.value}` }, { recurrenceId: recurrenceId(step.value) })
                .catch(passOver('CAL-4042'));
            if (step.kind === 'cancel' && step.value > 0)
              await ann.remove(id, { recurrenceId: recurrenceId(step.value) }).catch(passOver('CAL-4042'));
            if (step.kind === 'uninvite' || step.kind === 'invite')
              await ann.update(id, { attendees: invited(step.kind === 'invite') });
            if (step.kind === 'answer' && step.who === 'bob') {
              const copy = await bob.find(uid);
              if (copy) await bob.reply(copy, step.partStat);
            }
            if (step.kind === 'answer' && step.who === 'zoe') {
              const answer = await zoe.reply(step.partStat, ann.address);
              if (answer) post([answer]);
            }
            post(await takeSent());
            if (step.kind === 'deliver') await deliver(step.order, step.twice);
          }
          await ann.update(id, { attendees: invited(true) });
          post(await takeSent());
          for (let die = 0; flying.length > 0; die += 1) await deliver(dice[die % dice.length]!, false);
          const expected = await ann.view();
          expect({ bob: await bob.view(), zoe: zoe.view() }).toEqual({ bob: expected, zoe: expected });
          await bob.reply((await bob.find(uid))!, 'TENTATIVE');
          await bob.reply((await bob.find(uid))!, 'ACCEPTED');
          post([...(await takeSent()), (await zoe.reply('DECLINED', ann.address))!]);
          post([(await zoe.reply('TENTATIVE', ann.address))!]);
          for (let die = 0; flying.length > 0; die += 1) await deliver(dice[die % dice.length]!, die < 3);
          expect(await ann.answersOf(id)).toEqual({
            [ann.address.toLowerCase()]: 'ACCEPTED',
            [bob.address]: 'ACCEPTED',
            [zoe.address]: 'TENTATIVE',
          });
          await ann.remove(id);
          post(await takeSent());
          for (let die = 0; flying.length > 0; die += 1) await deliver(dice[die % dice.length]!, die < 3);
          expect({ bob: await bob.view(), zoe: zoe.view() }).toEqual({ bob: [], zoe: [] });
        },
      ),
      { numRuns: RUNS, seed: SEED, endOnFailure: true },
    );
  }, 600_000);
});
