import { LOGIN } from './credentials.mjs';
import { answers } from './readiness.mjs';
import { smallServer } from './small-server.mjs';

const connectWith = (password) =>
  `CONNECT ${JSON.stringify({ user: LOGIN, pass: password, verbose: false, pedantic: false })}\r\nPING\r\n`;

/**
 * Finds or starts NATS with JetStream. No client connects without a password.
 * @param {{ dataDir: string, programsDir: string, credentials: { nats: string }, say?: (text: string) => void }} options
 */
export const nats = ({ credentials: { nats: password }, ...places }) =>
  smallServer(
    {
      program: 'nats-server',
      packages: ['nats-server'],
      brew: 'nats-server',
      variable: 'NATS_URL',
      scheme: 'nats',
      password,
      isReady: (port) => answers(port, connectWith(password), /^PONG\r\n/m),
      configure: (port, folder) =>
        [
          `listen: "127.0.0.1:${port}"`,
          `jetstream: { store_dir: ${JSON.stringify(folder)} }`,
          // A client that froze or vanished without a word is dropped after six seconds instead of six minutes; until then it
          // gets its share of the calls.
          'ping_interval: "2s"',
          'ping_max: 2',
          `authorization: { users: [{ user: "${LOGIN}", password: "${password}" }] }`,
          '',
        ].join('\n'),
      args: (file) => ['-c', file],
    },
    places,
  );
