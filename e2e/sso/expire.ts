import { createHash } from 'node:crypto';
import { until } from '@groupware/test-kit';
import { Redis } from 'ioredis';
import type { TestEnvironment } from '../test-environment';

/** Lets a token that is good once become too old now. @returns how long it would have been good, ms */
export async function expireToken(
  { environment }: Pick<TestEnvironment, 'environment'>,
  kind: string,
  token: string,
): Promise<number> {
  const redis = new Redis(environment.REDIS_URL!);
  try {
    const digest = createHash('sha256').update(token).digest('base64url');
    const [key] = await redis.keys(`*:once:${kind}:${digest}`);
    if (key === undefined) throw new Error(`there is no token of the kind ${kind}`);
    const lifeMs = await redis.pttl(key);
    await redis.pexpire(key, 1);
    await until(async () => (await redis.exists(key)) === 0);
    return lifeMs;
  } finally {
    redis.disconnect();
  }
}
