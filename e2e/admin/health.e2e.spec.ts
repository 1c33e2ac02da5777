import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client as Database } from 'pg';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

const basic = (login: string, password: string, encoding: BufferEncoding = 'utf8') => ({
  authorization: `Basic ${Buffer.from(`${login}:${password}`, encoding).toString('base64')}`,
});

interface Health {
  readonly status: string;
  readonly checks: { readonly name: string; readonly status: string; readonly data?: { readonly error: string } }[];
  readonly service: Record<string, string>;
  readonly blacklist: string[];
  readonly ignorelist: string[];
  readonly error?: string;
}

async function health(world: TestEnvironment, headers = {}): Promise<{ status: number; body: Health }> {
  const response = await fetch(`${world.internalUrl}/health`, { headers });
  return { status: response.status, body: (await response.json()) as Health };
}

describe('health and metrics of an open process', () => {
  let world: TestEnvironment;
  beforeAll(async () => {
    world = await startTestEnvironment({ modules: ['identity', 'admin', 'gateway'] });
  }, 60_000);
  afterAll(() => world?.close());

  it('HE-01 all checks are up', async () => {
    const { status, body } = await health(world);
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'UP', blacklist: [], ignorelist: [] });
    const names = body.checks.map(({ name }) => name);
    expect(names).toEqual([...names].sort());
    expect(names).toEqual(
      expect.arrayContaining([
        'disk',
        'event-loop',
        'filestore',
        'jetstream',
        'module-admin',
        'module-gateway',
        'module-identity',
        'nats',
        'postgres-identity',
        'redis',
      ]),
    );
    expect(body.checks.every((check) => check.status === 'UP')).toBe(true);
    expect(body.service).toMatchObject({
      name: 'groupware',
      version: expect.stringMatching(/^\d+\.\d+/),
      buildDate: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      date: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d,\d{3}[+-]\d{4}$/),
      locale: 'en_US',
      charset: 'UTF-8',
      timeZone: expect.any(String),
    });
  });

  it.each(['live', 'ready', 'health', 'metrics'])('/%s is only read', async (probe) => {
    const refused = await fetch(`${world.internalUrl}/${probe}`, { method: 'POST' });
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect(await refused.json()).toMatchObject({ code: 'REST-0405', error_params: ['POST'] });
    const below = await fetch(`${world.internalUrl}/${probe}/x`);
    expect(below.status).toBe(404);
    expect(await below.json()).toMatchObject({ code: 'REST-0404' });
  });

  it('HE-05 metrics have rate, errors and duration by module and action, pools, outbox and backlog', async () => {
    await fetch(`${world.publicUrl}/login?action=login`, {
      method: 'POST',
      body: new URLSearchParams({ name: 'nobody@nowhere', password: 'wrong' }),
    });
    const response = await fetch(`${world.internalUrl}/metrics`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    const text = await response.text();
    for (const wanted of [
      /^groupware_operations_total\{module="login",action="login",outcome="LGI-0006"\} [1-9]/m,
      /^groupware_operation_seconds_count\{module="login",action="login"\} [1-9]/m,
      /^groupware_http_request_seconds_bucket\{le="[^"]+",module="login",operation="login",status="\d+"\}/m,
      /^groupware_http_errors_total\{module="login",operation="login",code="LGI-0006"\} [1-9]/m,
      /^groupware_calls_running\{module="identity"\} \d/m,
      /^groupware_database_connections\{module="identity",shard="default",state="open"\} [1-9]/m,
      /^groupware_database_connections\{module="identity",shard="default",state="waiting"\} 0/m,
      /^groupware_outbox_events\{module="identity"\} 0/m,
      /^groupware_outbox_lag_seconds\{module="identity"\} 0/m,
      /^groupware_bus_connected 1/m,
      /^groupware_bus_messages_total\{direction="in"\} [1-9]/m,
      /^groupware_redis_command_seconds_count [1-9]/m,
      /^groupware_check_up\{check="nats"\} 1/m,
      /^groupware_build_info\{version="[^"]+",build_date="[^"]+",node="v\d+[^"]*"\} 1/m,
    ])
      expect(text).toMatch(wanted);
    // Labels come from contracts: nothing of a client can make new series.
    expect(text).not.toMatch(/nobody|nowhere/);
  });

  it('HE-02 a database that is down makes it 500, and the process stays alive', async () => {
    const database = new URL(world.environment.DATABASE_URL!).pathname.slice(1);
    const client = new Database({ connectionString: process.env.DATABASE_URL });
    await client.connect();
    const allow = (value: boolean) => client.query(`alter database ${database} allow_connections ${value}`);
    try {
      await allow(false);
      await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [database]);
      let { status, body } = await health(world);
      // Each check sees it by itself, one after the other.
      while (!body.error?.includes('postgres-identity')) {
        await wait(50);
        ({ status, body } = await health(world));
      }
      expect(status).toBe(500);
      expect(body).toMatchObject({ status: 'DOWN', error: expect.stringContaining('postgres-identity') });
      expect(body.checks.find(({ name }) => name === 'postgres-identity')).toMatchObject({
        status: 'DOWN',
        data: { error: expect.any(String) },
      });
      expect((await fetch(`${world.internalUrl}/ready`)).status).toBe(503);
      expect((await fetch(`${world.internalUrl}/live`)).status).toBe(200);
    } finally {
      await allow(true);
      await client.end();
    }
  });
});

describe('health and metrics of a process with settings', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'health-'));
  let world: TestEnvironment;
  beforeAll(async () => {
    world = await startTestEnvironment({
      modules: ['gateway'],
      variables: {
        GROUPWARE_HEALTH_MIN_DISK_MB: '999999999',
        DATA_DIR: folder,
        GATEWAY_TRUSTED_PROXIES: '127.0.0.1,::1',
      },
      properties: {
        'com.example.health.username': 'probe',
        'com.example.health.password': 'probe sécret',
        'com.example.health.skip': 'redis, filestore',
        'com.example.health.ignore': 'disk',
        'com.example.metrics.basic-auth.login': 'scraper',
        'com.example.metrics.basic-auth.password': 'scraper secret',
      },
    });
  }, 60_000);
  afterAll(async () => {
    await world?.close();
    fs.rmSync(folder, { recursive: true, force: true });
  });

  it('HE-03 an ignored check may fail, a skipped one is not run', async () => {
    const { status, body } = await health(world, basic('probe', 'probe sécret'));
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'UP', ignorelist: ['disk'], blacklist: ['redis', 'filestore'] });
    expect(body.checks.find(({ name }) => name === 'disk')).toMatchObject({ status: 'DOWN' });
    expect(body.checks.some(({ name }) => name === 'redis' || name === 'filestore')).toBe(false);
  });

  it('HE-04 each probe needs its own pair', async () => {
    for (const [at, wrong] of [
      ['health', basic('scraper', 'scraper secret')],
      ['metrics', basic('probe', 'probe sécret')],
      ['health', basic(world.master.login, world.master.password)],
      ['metrics', basic(world.service.login, world.service.password)],
      ['health', basic('probe', '')],
      ['metrics', {}],
      ['health', {}],
    ] as const) {
      const response = await fetch(`${world.internalUrl}/${at}`, { headers: wrong });
      expect({ at, status: response.status }).toEqual({ at, status: 401 });
      expect(response.headers.get('www-authenticate')).toMatch(/^Basic realm="[^"]+", charset="UTF-8"$/);
      expect(await response.json()).toMatchObject({
        code: 'PROBE-0401',
        error_id: expect.stringMatching(/./),
        error_params: [],
        category: 3,
      });
    }
    const metrics = await fetch(`${world.internalUrl}/metrics`, { headers: basic('scraper', 'scraper secret') });
    expect(metrics.status).toBe(200);
    expect((await health(world, basic('probe', 'probe sécret', 'latin1'))).status).toBe(200);
    // Probes of the cluster have no credentials.
    expect((await fetch(`${world.internalUrl}/live`)).status).toBe(200);
  });

  it('HE-05 metrics with a pair are refused to clients from outside without TLS, before anything else', async () => {
    const right = basic('scraper', 'scraper secret');
    const scrape = async (headers: Record<string, string>) =>
      (await fetch(`${world.internalUrl}/metrics`, { headers })).status;
    const through = { 'x-forwarded-for': '192.0.2.1' };
    expect(await scrape({ ...right, ...through })).toBe(403);
    expect(await scrape(through)).toBe(403);
    expect(await scrape({ ...right, ...through, 'x-forwarded-proto': 'https' })).toBe(200);
    expect(await scrape({ ...through, 'x-forwarded-proto': 'https' })).toBe(401);
    expect(await scrape({ ...right, 'x-forwarded-for': '127.0.0.1' })).toBe(200);
    expect(await scrape(right)).toBe(200);
  });

  it('HE-05 nobody can speak for a proxy that is not trusted', async () => {
    const strict = await startTestEnvironment({
      modules: ['gateway'],
      properties: {
        'com.example.metrics.basic-auth.login': 'scraper',
        'com.example.metrics.basic-auth.password': 'scraper secret',
      },
    });
    try {
      const right = basic('scraper', 'scraper secret');
      const forged: Record<string, string>[] = [
        { 'x-forwarded-for': '127.0.0.1' },
        { 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'https' },
        { forwarded: 'for=127.0.0.1' },
      ];
      for (const headers of forged) {
        const response = await fetch(`${strict.internalUrl}/metrics`, { headers: { ...right, ...headers } });
        expect(response.status).toBe(403);
        expect(await response.json()).toMatchObject({
          code: 'PROBE-0403',
          error_id: expect.stringMatching(/./),
          categories: 'PERMISSION_DENIED',
        });
      }
      expect((await fetch(`${strict.internalUrl}/metrics`, { headers: right })).status).toBe(200);
    } finally {
      await strict.close();
    }
  });
});
