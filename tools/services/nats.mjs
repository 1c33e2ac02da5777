import fs from 'node:fs';
import path from 'node:path';
import { answers } from './readiness.mjs';
import { smallServer } from './small-server.mjs';

/**
 * Settings without a command-line option: a client that froze or vanished without a word is dropped after six seconds instead
 * of six minutes; until then it gets its share of the calls.
 */
const CONFIGURATION = 'ping_interval: "2s"\nping_max: 2\n';

/** Writes the file of settings into the data folder of the server. */
function configure(folder) {
  const file = path.join(folder, 'nats.conf');
  fs.writeFileSync(file, CONFIGURATION);
  return file;
}

/**
 * Finds or starts NATS with JetStream.
 * @param {{ dataDir: string, programsDir: string }} places
 */
export const nats = (places) =>
  smallServer(
    {
      program: 'nats-server',
      packages: ['nats-server'],
      brew: 'nats-server',
      composeService: 'nats',
      variable: 'NATS_URL',
      scheme: 'nats',
      isReady: (port) => answers(port, '', /^INFO /),
      args: (port, folder) => ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', folder, '-c', configure(folder)],
    },
    places,
  );
