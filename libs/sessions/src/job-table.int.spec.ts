import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { JobTable } from './job-table';
import { SealedText } from './sealed-text';

const ann = { contextId: 1, userId: 3 };
const job = { id: 'a', module: 'folders', action: 'update' };
const options = { leaseMs: 1_000, keptMs: 60_000, maxPerUser: 2 };
let redis: Redis;
let now: number;
let prefix: string;
const open = (key = 1) =>
  new JobTable(redis, prefix, new SealedText([Buffer.alloc(32, key)], 'test'), options, () => now);

beforeAll(() => (redis = new Redis(process.env.REDIS_URL!)));
afterAll(() => redis.quit());
beforeEach(() => {
  prefix = `test-${randomUUID()}`;
  now = Date.now();
});

describe('jobs of users', () => {
  it('are known to all processes, and have an answer once', async () => {
    const [one, two] = [open(), open()];
    expect(await one.addJob(ann, job)).toBe(true);
    expect(await two.findJob(ann, 'a')).toEqual({ ...job, state: 'running' });
    expect(await one.renewLease(ann, job)).toEqual({ isCancelled: false });
    await two.cancelJob(ann, 'a');
    expect(await one.renewLease(ann, job)).toEqual({ isCancelled: true });
    await one.finishJob(ann, job, '{"data":1}');
    expect(await two.listJobs(ann)).toEqual([{ ...job, state: 'done' }]);
    expect(await redis.get(`${prefix}:jobs:1:3:a:answer`)).not.toContain('data');
    expect(await Promise.all([one.takeAnswer(ann, 'a'), two.takeAnswer(ann, 'a')])).toContain('{"data":1}');
    expect(await two.takeAnswer(ann, 'a')).toBeUndefined();
    expect(await one.findJob(ann, 'a')).toBeUndefined();
    expect(await one.findJob({ ...ann, contextId: 2 }, 'a')).toBeUndefined();
  });

  it('are lost when nobody works on them any more, and gone after a while', async () => {
    const jobs = open();
    await jobs.addJob(ann, job);
    now += options.leaseMs;
    expect(await jobs.findJob(ann, 'a')).toEqual({ ...job, state: 'lost' });
    await jobs.renewLease(ann, job);
    await jobs.finishJob(ann, job, '{}');
    now += options.keptMs;
    expect(await jobs.listJobs(ann)).toEqual([]);
  });

  it('are limited for each user; old ones make room', async () => {
    const jobs = open();
    const add = (id: string) => jobs.addJob(ann, { ...job, id });
    expect([await add('a'), await add('b'), await add('c')]).toEqual([true, true, false]);
    expect(await jobs.addJob({ ...ann, userId: 4 }, job)).toBe(true);
    now += options.leaseMs + options.keptMs + options.leaseMs;
    expect(await add('c')).toBe(true);
    expect(await jobs.findJob(ann, 'a')).toBeUndefined();
  });

  it('come with a forgotten one never back', async () => {
    const jobs = open();
    await jobs.addJob(ann, job);
    await jobs.removeJob(ann, 'a');
    await jobs.renewLease(ann, job);
    expect(await jobs.listJobs(ann)).toEqual([]);
  });
});
