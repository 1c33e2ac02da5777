import { answers } from './readiness.mjs';
import { smallServer } from './small-server.mjs';

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
      args: (port, folder) => ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', folder],
    },
    places,
  );
