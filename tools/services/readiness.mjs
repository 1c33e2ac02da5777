import { createConnection, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** A port of the loopback interface that was free a moment ago. */
export const freePort = () =>
  new Promise((resolve, reject) => {
    const server = createServer()
      .once('error', reject)
      .listen(0, '127.0.0.1', () => {
        const { port } = server.address();
        server.close(() => resolve(port));
      });
  });

/**
 * Connects, says something, and tells whether what comes back looks right.
 * @param {number} port on the loopback interface
 * @param {string | Buffer} send
 * @param {RegExp} expect
 * @returns {Promise<boolean>} false for a refusal, when the server ends the connection before, and after a second
 */
export const answers = (port, send, expect) =>
  new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1', () => socket.write(send));
    let received = '';
    const end = (ok) => {
      socket.destroy();
      resolve(ok);
    };
    socket.setTimeout(1000, () => end(false));
    socket.on('data', (data) => {
      received += data.toString('latin1');
      if (expect.test(received)) end(true);
    });
    socket.on('error', () => end(false));
    socket.on('end', () => end(false));
  });

/**
 * Waits until a server that was just spawned is ready.
 * @param {() => Promise<boolean> | boolean} probe
 * @param {import('node:child_process').ChildProcess} child
 * @throws when it ends before, or is not ready in time
 */
export async function untilReady(probe, child, timeoutMs = 60_000) {
  const deadline = Date.now() + timeoutMs;
  let failure;
  child.once('error', (error) => (failure = error));
  while (!(await probe())) {
    if (failure) throw new Error(`${child.spawnfile} could not be started: ${failure.message}`);
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`${child.spawnfile} ended with ${child.signalCode ?? `code ${child.exitCode}`}`);
    if (Date.now() > deadline) throw new Error(`${child.spawnfile} was not ready after ${timeoutMs} ms`);
    await delay(10);
  }
}

/**
 * Starts a server on a port found free. Another program may take the port before the server does, so it gets three chances.
 * @template T
 * @param {(port: number) => Promise<T>} start
 * @returns {Promise<T>}
 */
export async function onFreePort(start) {
  for (let chance = 1; ; chance++) {
    try {
      return await start(await freePort());
    } catch (error) {
      if (chance === 3) throw error;
    }
  }
}
