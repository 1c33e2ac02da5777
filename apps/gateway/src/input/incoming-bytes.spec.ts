import type { UserPrincipal } from '@groupware/contracts';
import type { IncomingQuota } from '../edge/ports';
import { IncomingBytes } from './incoming-bytes';

const user = (userId: number, contextId = 1) => ({ kind: 'user', contextId, userId }) as UserPrincipal;
const TOO_LARGE = expect.objectContaining({ code: 'UPL-0005' });
const LIMITS = { maxIncomingBytesPerUser: 10, maxIncomingBytes: 15 };

/** A store that is away: each gateway counts for itself. */
const away: IncomingQuota = {
  request: () => Promise.reject(new Error('away')),
  release: () => Promise.reject(new Error('away')),
};

describe('bytes of uploads that belong to nothing yet', () => {
  it('count for their user and their context until their call ends', async () => {
    const incoming = new IncomingBytes(LIMITS, away);
    const open = (userId: number, contextId?: number) => incoming.open(user(userId, contextId), 'r');
    const [first, second, third] = [open(1), open(1), open(2)];
    await first.add(6);
    const settingOf = (name: string, most: number) => ({
      details: expect.objectContaining({ problematic: [{ name, kind: 'limit', reason: `at most ${most}` }] }),
    });
    await expect(second.add(5)).rejects.toMatchObject(settingOf('GATEWAY_MAX_INCOMING_BYTES_PER_USER', 10));
    await second.add(4);
    await expect(third.add(6)).rejects.toMatchObject(settingOf('GATEWAY_MAX_INCOMING_BYTES', 15));
    await third.add(5);
    // No other sender is affected.
    const other = open(1, 2);
    await other.add(10);
    first.release();
    const next = open(1);
    await next.add(6);
    for (const share of [second, second, third, other, next]) share.release();
  });

  it('count for an administrator as for a context', async () => {
    const incoming = new IncomingBytes(LIMITS, away);
    const master = incoming.open({ kind: 'master', login: 'm' }, 'r');
    await master.add(15);
    await expect(master.add(1)).rejects.toEqual(TOO_LARGE);
    const other = incoming.open({ kind: 'master', login: 'n' }, 'r');
    await other.add(15);
    master.release();
    other.release();
    const again = incoming.open({ kind: 'master', login: 'm' }, 'r');
    await again.add(15);
    again.release();
  });

  it('are reserved with all gateways: some ahead, renewed while the call runs, given back when it ends', async () => {
    jest.useFakeTimers();
    try {
      const request = jest.fn<ReturnType<IncomingQuota['request']>, Parameters<IncomingQuota['request']>>();
      const release = jest.fn(() => Promise.resolve());
      request.mockImplementation(async (_lease, _owners, { want }) => ({ granted: want }));
      const incoming = new IncomingBytes(
        { maxIncomingBytesPerUser: 2 ** 30, maxIncomingBytes: 2 ** 30 },
        { request, release },
      );
      const share = incoming.open(user(1), 'lease');
      await share.add(10);
      await share.add(10);
      const owners = [expect.objectContaining({ key: '1 1' }), expect.objectContaining({ key: '1' })];
      expect(request.mock.calls).toEqual([['lease', owners, { held: 0, need: 10, want: 2 ** 14 }]]);
      jest.advanceTimersByTime(20_000);
      expect(request).toHaveBeenLastCalledWith('lease', owners, { held: 2 ** 14, need: 0, want: 0 });
      request.mockResolvedValueOnce({ owner: { key: '1 1', max: 7 }, total: 8 });
      await expect(share.add(2 ** 21)).rejects.toEqual(TOO_LARGE);
      share.release();
      expect(release).toHaveBeenCalledWith('lease', owners);
      jest.advanceTimersByTime(100_000);
      expect(request).toHaveBeenCalledTimes(3);
    } finally {
      jest.useRealTimers();
    }
  });

  it('take no more room for many small uploads than they need, and ask seldom for large ones', async () => {
    let left = 500 * 2 ** 20;
    let asked = 0;
    const quota: IncomingQuota = {
      request: async (_lease, [owner], { need, want }) => {
        asked += 1;
        if (need > left) return { owner: owner!, total: need };
        const granted = Math.min(want, left);
        left -= granted;
        return { granted };
      },
      release: () => Promise.resolve(),
    };
    const limits = { maxIncomingBytesPerUser: 500 * 2 ** 20, maxIncomingBytes: 2 ** 31 };
    const incoming = new IncomingBytes(limits, quota);
    const shares = Array.from({ length: 5_000 }, (_none, index) => incoming.open(user(1), `upload ${index}`));
    for (const share of shares) await share.add(100);
    asked = 0;
    const large = incoming.open(user(1), 'large');
    for (let bytes = 0; bytes < 100 * 2 ** 20; bytes += 2 ** 16) await large.add(2 ** 16);
    expect(asked).toBeLessThan(110);
    for (const share of [...shares, large]) share.release();
  });
});
