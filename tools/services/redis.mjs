import { LOGIN } from './credentials.mjs';
import { answers } from './readiness.mjs';
import { smallServer } from './small-server.mjs';

/**
 * Finds or starts Redis. No client may do anything without a password; the services may do nothing administrative.
 * @param {{ dataDir: string, programsDir: string, durable: boolean, credentials: { redis: string, redisAdministrator: string },
 *   say?: (text: string) => void }} options durable: sessions survive a restart
 */
export const redis = ({ durable, credentials, ...places }) => {
  const password = credentials.redis;
  return smallServer(
    {
      program: 'redis-server',
      packages: ['redis-server'],
      brew: 'redis',
      variable: 'REDIS_URL',
      scheme: 'redis',
      password,
      // "-LOADING" while it reads its file
      isReady: (port) => answers(port, `AUTH ${LOGIN} ${password}\r\nPING\r\nQUIT\r\n`, /^\+OK\r\n\+PONG/),
      configure: (port, folder) =>
        [
          `port ${port}`,
          'bind 127.0.0.1',
          `dir ${JSON.stringify(folder)}`,
          'save ""',
          `appendonly ${durable ? 'yes' : 'no'}`,
          // Redis reads its append-only file as this user: what it may not do would be missing after a restart.
          `user default on >${credentials.redisAdministrator} ~* &* +@all`,
          // INFO tells clients whether the server is ready; KEYS is used by tests only and no more than slow.
          `user ${LOGIN} on >${password} ~* &* +@all -@admin -@dangerous +info +keys`,
          '',
        ].join('\n'),
      args: (file) => [file],
    },
    places,
  );
};
