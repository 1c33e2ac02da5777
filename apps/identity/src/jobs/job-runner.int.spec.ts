import type { ModuleDatabase } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { testDatabase, type TestDatabase } from '@groupware/test-kit';
import { IdentityConfig } from '../configuration/identity.config';
import { service } from '../index';
import { JobRepository } from '../persistence/job.repository';
import { JobRunner, type JobControl } from './job-runner';

const KIND = 'spec';
const config = Object.assign(new IdentityConfig(), { jobTakeoverMs: 3_600_000 });
let databases: TestDatabase;
let database: ModuleDatabase;
beforeAll(async () => {
  databases = await testDatabase({ identity: service.migrations! });
  database = await databases.of('identity');
}, 60_000);
afterAll(() => databases?.close());

describe('a job whose process stops', () => {
  it('is gone on with by another process at once, long before its lease ends', async () => {
    const runnerFor = (work: (control: JobControl) => Promise<object>) => {
      const runner = new JobRunner(database, new JobRepository(), new Clock(), config);
      runner.registerKind(KIND, work);
      return runner;
    };
    let enter: () => void = () => undefined;
    let leave: () => void = () => undefined;
    const entered = new Promise<void>((resolve) => (enter = resolve));
    const left = new Promise<void>((resolve) => (leave = resolve));
    const stopping = runnerFor(async (control) => {
      enter();
      await left;
      control.check();
      return { by: 'the first' };
    });
    const job = await database.transact({ contextId: 1 }, (tx) => stopping.createJob(tx, KIND, { rows: 3 }));
    void stopping.runJob(job);
    await entered;
    const end = stopping.stop();
    leave();
    await end;

    const taken: JobControl[] = [];
    const next = runnerFor((control) => {
      taken.push(control);
      return Promise.resolve({ by: 'the second' });
    });
    expect(await next.takeOverJobs()).toBe(1);
    await next.stop();
    expect(taken[0]!.job).toMatchObject({ jobId: job.jobId, contextId: 1, task: { rows: 3 } });
    expect(taken[0]!.job.runner).not.toBe(job.runner);
  });
});
