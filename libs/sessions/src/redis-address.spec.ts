import { parseRedisAddress } from './redis-address';

describe('the address of Redis', () => {
  it.each(['redis://127.0.0.1:6379', 'rediss://user:secret@redis.example:6380/2'])('is left as it is: %s', (url) => {
    expect(parseRedisAddress(url)).toEqual({ kind: 'server', url });
  });

  it('names sentinels, the group and the logins at both', () => {
    expect(
      parseRedisAddress(
        'redis-sentinel://user:p%40ss@one.example:26380,two.example,[::1]:5/3?sentinelPassword=s%26t#main',
      ),
    ).toMatchObject({
      kind: 'sentinel',
      options: {
        name: 'main',
        sentinels: [
          { host: 'one.example', port: 26_380 },
          { host: 'two.example', port: 26_379 },
          { host: '::1', port: 5 },
        ],
        username: 'user',
        password: 'p@ss',
        db: 3,
        sentinelPassword: 's&t',
      },
    });
  });

  it('names nodes of a cluster, and the login at all of them', () => {
    expect(parseRedisAddress('redis-cluster://user:p%40ss@one.example:7000,two.example,[::1]:5')).toEqual({
      kind: 'cluster',
      nodes: [
        { host: 'one.example', port: 7_000 },
        { host: 'two.example', port: 6_379 },
        { host: '::1', port: 5 },
      ],
      options: { username: 'user', password: 'p@ss' },
    });
  });

  it('asks for TLS by its scheme', () => {
    for (const url of ['redis-sentinel://one#main', 'redis-cluster://one'])
      expect(parseRedisAddress(url)).not.toHaveProperty('options.tls');
    expect(parseRedisAddress('rediss-sentinel://one#main')).toMatchObject({
      options: { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true },
    });
    expect(parseRedisAddress('rediss-cluster://one')).toMatchObject({ options: { tls: {} } });
  });

  it.each([
    'redis-sentinel://user:secret@one:26379',
    'redis-sentinel://user:secret@one:26379#',
    'redis-sentinel://user:secret@#main',
    'redis-sentinel://user:secret@one:notaport#main',
    'redis-sentinel://user:secret@one,#main',
    'redis-sentinel://user:secret@one/some#main',
    'redis-cluster://user:secret@',
    'redis-cluster://user:secret@one,two:notaport',
    'redis-cluster://user:secret@one/3',
  ])('is refused without its password in the message: %s', (url) => {
    expect(() => parseRedisAddress(url)).toThrow(/^REDIS_URL: /);
    expect(() => parseRedisAddress(url)).not.toThrow(/secret/);
  });
});
