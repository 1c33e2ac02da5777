import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { findFreePort } from './free-ports';

/** The test file of the scanners. It stands here in two parts, so that scanners leave this source alone. */
export const EICAR = Buffer.from(
  'X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR' + '-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*',
  'latin1',
);

/** A running virus scanner. */
export interface Clamd {
  /** For `CLAMD_URL`. */
  readonly url: string;
  stop(): Promise<void>;
}

const START_MS = 20_000;

/**
 * Starts a clamd on loopback whose only signatures are those of {@link EICAR}, from the program that `npm test` found
 * (`CLAMD_PROGRAM`).
 * @param streamMaxBytes largest scan
 */
export async function startClamd(streamMaxBytes = 25 * 1024 * 1024): Promise<Clamd> {
  const program = process.env.CLAMD_PROGRAM;
  if (!program) throw new Error(`there is no ClamAV: ${process.env.CLAMD_MISSING ?? 'CLAMD_PROGRAM is not set'}`);
  const base = mkdtempSync(path.join(os.tmpdir(), 'clamd-'));
  const signatures = path.join(base, 'signatures');
  mkdirSync(signatures);
  // .hdb: hash, size and name of a whole file; .ndb: bytes anywhere, so also within archives.
  writeFileSync(
    path.join(signatures, 'test.hdb'),
    `${createHash('md5').update(EICAR).digest('hex')}:${EICAR.length}:Test.Eicar.Hash\n`,
  );
  writeFileSync(path.join(signatures, 'test.ndb'), `Test.Eicar.Body:0:*:${EICAR.toString('hex')}\n`);
  const port = await findFreePort();
  const configuration = path.join(base, 'clamd.conf');
  writeFileSync(
    configuration,
    [
      `DatabaseDirectory ${signatures}`,
      `TCPSocket ${port}`,
      'TCPAddr 127.0.0.1',
      'Foreground yes',
      `StreamMaxLength ${streamMaxBytes}`,
      'MaxThreads 4',
      '',
    ].join('\n'),
  );
  const child = spawn(program, ['-c', configuration], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...(process.env.CLAMD_LIBRARIES ? { LD_LIBRARY_PATH: process.env.CLAMD_LIBRARIES } : {}) },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill();
    await ended;
    rmSync(base, { recursive: true, force: true });
  };
  for (const end = Date.now() + START_MS; !(await answers(port));) {
    if (child.exitCode !== null || Date.now() > end) {
      await stop();
      throw new Error(`clamd did not start: ${output.slice(-400)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { url: `tcp://127.0.0.1:${port}`, stop };
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1', () => socket.write('zPING\0'));
    socket.on('data', (data) => {
      socket.destroy();
      resolve(data.toString().startsWith('PONG'));
    });
    socket.on('error', () => resolve(false));
  });
