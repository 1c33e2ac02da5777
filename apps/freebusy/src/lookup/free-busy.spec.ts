import {
  calendarBusy,
  CalendarErrors,
  MAX_BUSY_PERIODS,
  type BusyPeriodsQuery,
  type Operation,
} from '@groupware/contracts';
import { FreeBusyVisibility } from '@groupware/directory';
import { FreeBusy } from './free-busy';

const HOUR = 3_600_000;
const RANGE = { fromMs: 0, untilMs: 24 * HOUR };
const tenant = { contextId: 1 };
const hidden = (id: number): boolean => id % 7 === 0;

/** The engine among users 1 to 2,000, who are busy for an hour at the hour of their id; those of a seventh hide it. */
function engine({ mostPeriods = 200_000 } = {}) {
  const messages: string[] = [];
  const asked: number[][] = [];
  const user = (id: number) => ({
    kind: 'user',
    id,
    displayName: `U${id}`,
    email: `u${id}@example.com`,
    timeZone: 'UTC',
  });
  const people = {
    getEntities: (_tenant: unknown, ids: number[]) => {
      messages.push('entities');
      return Promise.resolve(new Map(ids.filter((id) => id <= 2000).map((id) => [id, user(id)])));
    },
    findByAddresses: () =>
      Promise.resolve(new Map([['group@example.com', { kind: 'group', id: 5000, displayName: 'All' }]])),
  };
  const caller = {
    call: async (operation: Operation, { query }: { query: unknown }) => {
      messages.push(String(operation.action));
      if (operation !== calendarBusy.periods) {
        const { key, ids } = query as { key: string; ids: number[] };
        if (!key.endsWith('freeBusyVisibility')) return {};
        return Object.fromEntries(ids.filter(hidden).map((id) => [id, 'none']));
      }
      const { entities } = query as BusyPeriodsQuery;
      asked.push(entities.map(({ id }) => id));
      // The first part is answered last.
      await new Promise((resolve) => setTimeout(resolve, asked.length === 1 ? 20 : 0));
      return entities.map(({ id }) => [(id % 20) * HOUR, HOUR, 1]);
    },
  };
  const properties = {
    serverValue: (property: { key: string; default: unknown }) =>
      property.key === MAX_BUSY_PERIODS.key ? mostPeriods : property.default,
    get: () => Promise.resolve(''),
  };
  const foreign = { fetchPeriods: () => Promise.resolve([]) };
  return {
    freeBusy: new FreeBusy(
      people as never,
      caller as never,
      properties as never,
      foreign as never,
      new FreeBusyVisibility(caller as never, properties as never, 'freebusy'),
    ),
    messages,
    asked,
  };
}
const named = (ids: readonly number[]) => ids.map((id) => ({ text: String(id), id }));

describe('free/busy of many', () => {
  it('takes the same number of messages for a hundred and for a thousand', async () => {
    const counts = [];
    for (const count of [100, 1000]) {
      const { freeBusy, messages } = engine();
      const ids = Array.from({ length: count }, (_each, index) => index + 1);
      await freeBusy.getTimes(tenant, { attendees: named(ids), range: RANGE, merge: true });
      counts.push(messages.length);
    }
    expect(counts).toEqual([7, 7]);
    const { freeBusy, messages } = engine();
    await freeBusy.getTimes(tenant, { attendees: named([1, 2, 3]), range: RANGE, merge: true });
    expect(messages).toHaveLength(4);
  });

  it('answers in the order of the question, whichever part comes first; those who hide, repeat or do not exist among them', async () => {
    const { freeBusy, asked } = engine();
    const ids = Array.from({ length: 90 }, (_each, index) =>
      index % 9 === 8 ? 9_000 + index : ((index * 37) % 60) + 1,
    );
    const times = await freeBusy.getTimes(tenant, { attendees: named(ids), range: RANGE, merge: true });
    expect(
      times.map(({ reference: { id }, periods, warning }) => [
        id,
        periods?.map(({ startMs }) => startMs),
        warning?.code,
      ]),
    ).toEqual(
      ids.map((id) =>
        id > 2000
          ? [id, undefined, 'CAL-5033']
          : hidden(id)
            ? [id, undefined, 'CAL-40312']
            : [id, [(id % 20) * HOUR], undefined],
      ),
    );
    expect(asked.length).toBeGreaterThan(1);
    expect(asked.flat().sort((a, b) => a - b)).toEqual(
      [...new Set(ids.filter((id) => id <= 2000))].sort((a, b) => a - b),
    );
  });

  it('counts the periods of all parts together', async () => {
    const question = {
      attendees: named(Array.from({ length: 100 }, (_each, index) => index + 1)),
      range: RANGE,
      merge: false,
    };
    await expect(engine({ mostPeriods: 100 }).freeBusy.getTimes(tenant, question)).resolves.toHaveLength(100);
    await expect(engine({ mostPeriods: 99 }).freeBusy.getTimes(tenant, question)).rejects.toMatchObject({
      code: CalendarErrors.tooMany(99).code,
    });
  });
});
