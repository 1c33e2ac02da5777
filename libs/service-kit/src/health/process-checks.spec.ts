import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createDiskCheck, createEventLoopCheck } from './process-checks';

describe('checks of the process itself', () => {
  it('fail when the disk is fuller than allowed, also for folders that are still to be made', async () => {
    const folder = path.join(os.tmpdir(), 'no', 'such', 'folder');
    await expect(createDiskCheck(folder, 1)()).resolves.toBeUndefined();
    await expect(createDiskCheck(folder, Number.MAX_SAFE_INTEGER)()).rejects.toThrow(/MiB are free/);
  });

  it('fail when the event loop is late', async () => {
    const { check, stop } = createEventLoopCheck(200);
    try {
      await wait(120);
      await check();
      for (let turns = 0; turns < 3; turns++) {
        const end = performance.now() + 400;
        while (performance.now() < end);
        await wait(0);
      }
      await wait(1);
      await expect(check()).rejects.toThrow(/late by/);
    } finally {
      stop();
    }
  });
});
