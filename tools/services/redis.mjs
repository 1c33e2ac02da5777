import { answers } from './readiness.mjs';
import { smallServer } from './small-server.mjs';

/**
 * Finds or starts Redis.
 * @param {{ dataDir: string, programsDir: string, durable: boolean }} options durable: sessions survive a restart
 */
export const redis = ({ durable, ...places }) =>
  smallServer(
    {
      program: 'redis-server',
      packages: ['redis-server'],
      brew: 'redis',
      composeService: 'redis',
      variable: 'REDIS_URL',
      scheme: 'redis',
      isReady: (port) => answers(port, 'PING\r\n', /^\+PONG/), // "-LOADING" while it reads its file
      args: (port, folder) => [
        ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder],
        ...['--save', '', '--appendonly', durable ? 'yes' : 'no'],
      ],
    },
    places,
  );
