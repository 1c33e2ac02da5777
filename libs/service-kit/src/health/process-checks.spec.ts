import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createDiskCheck, createEventLoopCheck } from './process-checks';

function holdEventLoop(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

describe('checks of the process itself', () => {
  it('fail when the disk is fuller than allowed, also for folders that are still to be made', async () => {
    const folder = path.join(os.tmpdir(), 'no', 'such', 'folder');
    await expect(createDiskCheck(folder, 1)()).resolves.toBeUndefined();
    await expect(createDiskCheck(folder, Number.MAX_SAFE_INTEGER)()).rejects.toThrow(/MiB are free/);
  });

  it('work when one turn of the event loop took long', async () => {
    const { check, stop } = createEventLoopCheck(500);
    try {
      await wait(300);
      await check();
      // The measurement begins with its first turn.
      await wait(45);
      holdEventLoop(1_000);
      await wait(5);
      await expect(check()).resolves.toBeUndefined();
      await wait(300);
      await expect(check()).resolves.toBeUndefined();
    } finally {
      stop();
    }
  });

  it('fail when the event loop is late', async () => {
    const { check, stop } = createEventLoopCheck(200);
    try {
      await wait(120);
      await check();
      for (let turns = 0; turns < 3; turns++) {
        holdEventLoop(400);
        await wait(0);
      }
      await wait(1);
      await expect(check()).rejects.toThrow(/late by/);
    } finally {
      stop();
    }
  });
});
