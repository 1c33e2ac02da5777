import {
  RequestErrors,
  SHARE_GUEST_HOST,
  SHARE_RESET_LIFE,
  SHARE_RESETS_PER_ADDRESS,
  SHARE_RESETS_PER_SHARE,
  type EdgeRequest,
} from '@groupware/contracts';
import type { AttemptLimiterOptions } from '@groupware/sessions';
import { until } from '@groupware/test-kit';
import { GuestResets } from './guest-resets';

const NOW = 1_000_000;
const HOUR_MS = 3_600_000;
const edge = { remoteAddress: '192.0.2.1', secure: true, host: 'chosen.example', headers: {} } as EdgeRequest;
const guest = { id: 7, email: 'g@outside.example', displayName: 'G', passwordHash: 'hash' };

/** Orders with some properties; the others have their defaults. */
function createResets(values: Readonly<Record<string, unknown>>) {
  const set: Record<string, unknown> = { [SHARE_GUEST_HOST.key]: 'guests.example', ...values };
  const cascade = { value: ({ key, default: byDefault }: { key: string; default: unknown }) => set[key] ?? byDefault };
  const counts = new Map<string, number>();
  /** Counts as the real one does, without an end of the window. */
  const attemptLimiter = ({ limits }: AttemptLimiterOptions<'share' | 'address'>) => ({
    attempt: async (keys: Record<'share' | 'address', string>) => {
      for (const name of ['share', 'address'] as const) {
        const { points, windowMs } = limits[name];
        expect(windowMs).toBe(HOUR_MS);
        const count = (counts.get(keys[name]) ?? 0) + 1;
        if (count > (typeof points === 'function' ? points() : points)) throw RequestErrors.tooManyRequests(1);
        counts.set(keys[name], count);
      }
    },
  });
  const sent: { validMs?: number; url?: string }[] = [];
  const resets = new GuestResets(
    { findShare: () => Promise.resolve({ contextId: 1, guest }) } as never,
    { sealReset: (_contextId: number, _guest: unknown, end: number) => `until-${end}` } as never,
    { call: (_operation: unknown, { query }: any) => Promise.resolve(sent.push(query.values)) } as never,
    cascade as never,
    { basePaths: () => [] } as never,
    { now: () => NOW },
    { attemptLimiter } as never,
  );
  return { resets, sent, set };
}

/** Orders that are taken before one is refused. */
async function countOrders(resets: GuestResets, shareOf: (order: number) => string, most = 50): Promise<number> {
  for (let order = 0; order < most; order++)
    try {
      await resets.orderMail(shareOf(order), undefined, edge);
    } catch (error) {
      expect(error).toMatchObject({ code: 'SVL-0019' });
      return order;
    }
  return most;
}

describe('orders of mails for new passwords of guests', () => {
  it.each([
    [{}, 3, 20, HOUR_MS],
    [
      { [SHARE_RESETS_PER_SHARE.key]: 5, [SHARE_RESETS_PER_ADDRESS.key]: 8, [SHARE_RESET_LIFE.key]: 600_000 },
      ...([5, 8, 600_000] as const),
    ],
  ])('are as many, and their addresses live as long, as the properties %p say', async (values, perShare, all, life) => {
    expect(await countOrders(createResets(values).resets, () => 'one')).toBe(perShare);
    const { resets, sent } = createResets(values);
    expect(await countOrders(resets, String)).toBe(all);
    // Mails leave after the answers.
    await until(() => Promise.resolve(sent.length === all));
    expect(sent[0]).toMatchObject({ validMs: life, url: expect.stringContaining(`confirm=until-${NOW + life}`) });
  });

  it('follow a change of the properties', async () => {
    const { resets, set } = createResets({});
    expect(await countOrders(resets, () => 'one')).toBe(3);
    set[SHARE_RESETS_PER_SHARE.key] = 4;
    await resets.orderMail('one', undefined, edge);
    await expect(resets.orderMail('one', undefined, edge)).rejects.toMatchObject({ code: 'SVL-0019' });
  });
});
