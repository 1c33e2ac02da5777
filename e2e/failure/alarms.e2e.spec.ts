import { setTimeout as wait } from 'node:timers/promises';
import {
  calendar,
  chronosChanges,
  directory,
  reminderEvents,
  type DirectoryUser,
  type DueAlarm,
  type EventMessage,
} from '@groupware/contracts';
import { toUserPrincipal } from '@groupware/directory';
import { Bus, Caller, EventBus } from '@groupware/messaging';
import { forEachAtOnce, until } from '@groupware/test-kit';
import { createFixtures, type Fixtures } from '../fixtures';
import { createProcessWorld, type ProcessWorld } from '../processes';

/** Alarms that fall due; `E2E_ALARMS=1000` for the long form. */
const ALARMS = Number(process.env.E2E_ALARMS ?? 200);
/** They fall due within so many ms. */
const SPREAD_MS = 10_000;
/** Time to create each of them, ms. */
const CREATION_MS = 60;
const CALLERS = 16;
const LATEST_MS = 5_000;
const MINUTE = 60_000;

let world: ProcessWorld;
let cast: Fixtures;
let bus: Bus;
let events: EventBus;
const heard: { readonly messageId: string; readonly targetId: number; readonly lag: number }[] = [];

beforeAll(async () => {
  world = await createProcessWorld(['identity,folders', 'calendar', 'calendar', 'calendar']);
  cast = await createFixtures(world);
  const { NATS_URL, GROUPWARE_BUS_PREFIX, GROUPWARE_PRINCIPAL_KEY } = world.environment;
  const principals = { signing: Buffer.from(GROUPWARE_PRINCIPAL_KEY!, 'base64') };
  bus = await Bus.connect({ url: NATS_URL!, prefix: GROUPWARE_BUS_PREFIX!, principals });
  events = new EventBus(bus);
  await events.open();
  const listener = async ({ id, payload }: EventMessage<DueAlarm>): Promise<void> => {
    heard.push({ messageId: id, targetId: payload.targetId, lag: Date.now() - payload.alarm });
  };
  await events.subscribe('alarm-listener', reminderEvents['alarm.due'], listener as never);
}, 300_000);
afterAll(async () => {
  await events?.close();
  await bus?.close();
  await world?.close();
}, 60_000);

const text = (ms: number): string => new Date(ms).toISOString().replace(/[-:]|\.\d{3}/g, '');

describe('alarms of three processes', () => {
  it(
    'go off once each and in time, also when one of the processes is killed in the middle',
    async () => {
      const caller = new Caller(bus);
      const { contextId, U1 } = cast;
      const principal = { kind: 'internal', service: 'alarms', contextId } as const;
      const [user] = await caller.call(directory.entities, { principal, query: { ids: [U1.userId] } });
      const asked = () => ({
        principal: toUserPrincipal(contextId, user as DirectoryUser),
        deadline: Date.now() + 15_000,
      });
      const begin = Math.ceil((Date.now() + 15_000 + ALARMS * CREATION_MS) / 1_000) * 1_000;
      /** Every other alarm is one that appointments know, the rest are alarms of events. */
      const create = async (index: number): Promise<number> => {
        const due = begin + Math.floor((index / ALARMS) * (SPREAD_MS / 1_000)) * 1_000;
        if (index % 2 === 0) {
          const times = { start_date: due + MINUTE, end_date: due + 2 * MINUTE, alarm: 1, ignore_conflicts: true };
          const body = { title: `A ${index}`, folder_id: U1.folder, ...times };
          return Number((await caller.call(calendar.new, { ...asked(), query: {}, body })).id);
        }
        const { created } = (await caller.call(chronosChanges.new, {
          ...asked(),
          query: { folder: `cal://0/${U1.folder}` },
          body: {
            summary: `A ${index}`,
            startDate: { value: text(due + MINUTE) },
            endDate: { value: text(due + 2 * MINUTE) },
            alarms: [{ action: 'DISPLAY', trigger: { dateTime: text(due) } }],
          },
        })) as unknown as { created: { id: string }[] };
        return Number(created[0]!.id);
      };
      const targets: number[] = [];
      await forEachAtOnce(CALLERS, Array(ALARMS).keys(), async (index) => void targets.push(await create(index)));
      expect(Date.now()).toBeLessThan(begin);

      await until(() => heard.length >= ALARMS / 3, begin - Date.now() + 60_000);
      const [victim] = world.processes.filter(({ name }) => name === 'calendar');
      await victim!.kill();
      expect(heard.length).toBeLessThan(ALARMS);
      const tellers = (): number => new Set(heard.map(({ targetId }) => targetId)).size;
      await until(() => tellers() >= ALARMS, 60_000);
      await wait(2_000);
      const messages = new Map<number, Set<string>>();
      for (const { targetId, messageId } of heard)
        messages.set(targetId, (messages.get(targetId) ?? new Set()).add(messageId));
      expect([...messages.keys()].sort((a, b) => a - b)).toEqual([...targets].sort((a, b) => a - b));
      expect([...messages].filter(([, ids]) => ids.size > 1)).toEqual([]);
      expect(Math.max(...heard.map(({ lag }) => lag))).toBeLessThanOrEqual(LATEST_MS);
    },
    180_000 + ALARMS * CREATION_MS,
  );
});
