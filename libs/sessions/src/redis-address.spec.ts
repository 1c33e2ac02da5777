import { parseRedisAddress } from './redis-address';

describe('the address of Redis', () => {
  it.each(['redis://127.0.0.1:6379', 'rediss://user:secret@redis.example:6380/2'])('is left as it is: %s', (url) => {
    expect(parseRedisAddress(url)).toBe(url);
  });

  it('names sentinels, the group and the logins at both', () => {
    expect(
      parseRedisAddress(
        'redis-sentinel://user:p%40ss@one.example:26380,two.example,[::1]:5/3?sentinelPassword=s%26t#main',
      ),
    ).toMatchObject({
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
    });
  });

  it('asks sentinels and servers for TLS by its scheme', () => {
    expect(parseRedisAddress('redis-sentinel://one#main')).not.toHaveProperty('tls');
    expect(parseRedisAddress('rediss-sentinel://one#main')).toMatchObject({
      ...{ tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true },
    });
  });

  it.each([
    'redis-sentinel://user:secret@one:26379',
    'redis-sentinel://user:secret@one:26379#',
    'redis-sentinel://user:secret@#main',
    'redis-sentinel://user:secret@one:notaport#main',
    'redis-sentinel://user:secret@one,#main',
    'redis-sentinel://user:secret@one/some#main',
  ])('is refused without its password in the message: %s', (url) => {
    expect(() => parseRedisAddress(url)).toThrow(/^REDIS_URL: /);
    expect(() => parseRedisAddress(url)).not.toThrow(/secret/);
  });
});
