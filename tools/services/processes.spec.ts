import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { findFreePort } from '@groupware/test-kit';
import { own } from './processes.mjs';

/** A process with threads that hold memory, which end one after the other, and a port. */
const PROGRAM = `
  const { Worker } = require('node:worker_threads');
  const thread = 'const held = []; setInterval(() => held.length < 20 && held.push(Buffer.alloc(4e6, 1)), 1)';
  for (let count = 0; count < 8; count++) new Worker(thread, { eval: true });
  require('node:net').createServer().listen(Number(process.argv[1]), '127.0.0.1', () => setTimeout(console.log, 300));
`;

describe('a process that is ended', () => {
  it('holds no port any more', async () => {
    for (let round = 0; round < 3; round++) {
      const port = await findFreePort();
      const child = spawn(process.execPath, ['-e', PROGRAM, String(port)], { stdio: ['ignore', 'pipe', 'inherit'] });
      await once(child.stdout, 'data');
      await own(child.pid!, 'SIGKILL')();
      const server = createServer().listen(port, '127.0.0.1');
      await once(server, 'listening');
      await once(server.close(), 'close');
    }
  }, 60_000);
});
