import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OutboundGuard, OutboundSettings, WebClient } from '@groupware/outbound';
import { ForeignSources } from './foreign-sources';
import { SourceConfig } from './source.config';

const HOUR = 3_600_000;
const NINE = Date.UTC(2026, 0, 5, 9);
const RANGE = { fromMs: NINE - 9 * HOUR, untilMs: NINE + 24 * HOUR };
const TENANT = { contextId: 7 };
const PAGE =
  'BEGIN:VCALENDAR\r\nBEGIN:VFREEBUSY\r\nFREEBUSY:20260105T090000Z/PT1H\r\nEND:VFREEBUSY\r\nEND:VCALENDAR\r\n';
const BUSY = [{ startMs: NINE, endMs: NINE + HOUR, type: 'BUSY' }];

let server: Server;
let url: string;
let answer: RequestListener;
let asked: string[];
let now: number;

beforeEach(async () => {
  asked = [];
  now = NINE;
  answer = (_request, response) => response.end(PAGE);
  server = createServer((request, response) => {
    asked.push(request.url!);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const sources = (config: Partial<SourceConfig> = {}, outbound: Partial<OutboundSettings> = {}): ForeignSources => {
  const settings = Object.assign(new OutboundSettings(), {
    allow: ['127.0.0.1'],
    webPorts: ['1024-65535'],
    failureStepMs: 0,
    ...outbound,
  });
  return new ForeignSources(
    new WebClient(new OutboundGuard(settings)),
    Object.assign(new SourceConfig(), { sourceAllowPlain: true, ...config }),
    { now: () => now },
  );
};
const ask = (foreign: ForeignSources, ...paths: string[]) =>
  foreign.fetchPeriods(
    TENANT,
    paths.map((path) => ({ url: url + path, zone: 'UTC' })),
    RANGE,
  );

describe('calendars elsewhere', () => {
  it('are fetched once for a while, however many ask', async () => {
    const foreign = sources();
    const both = await Promise.all([ask(foreign, '/a', '/a', '/b'), ask(foreign, '/a')]);
    expect(both).toEqual([[BUSY, BUSY, BUSY], [BUSY]]);
    expect(asked.sort()).toEqual(['/a', '/b']);
    now += 299_000;
    await ask(foreign, '/a');
    expect(asked).toHaveLength(2);
    now += 2_000;
    await ask(foreign, '/a');
    expect(asked).toHaveLength(3);
    await foreign.fetchPeriods({ contextId: 8 }, [{ url: `${url}/a`, zone: 'UTC' }], RANGE);
    expect(asked).toHaveLength(4);
  });

  it('that are down, slow, too large or no calendars tell nothing, and are left alone for a while', async () => {
    const foreign = sources({ sourceTimeoutMs: 3_000, sourceMaxBytes: 2_000 });
    answer = (request, response) => {
      if (request.url === '/down') response.statusCode = 503;
      if (request.url === '/large') response.end(PAGE + 'X'.repeat(3_000));
      else if (request.url === '/page') response.end('<html></html>');
      else if (request.url !== '/slow') response.end(PAGE);
    };
    const paths = ['/down', '/large', '/page', '/slow', '/fine'];
    expect(await ask(foreign, ...paths)).toEqual([undefined, undefined, undefined, undefined, BUSY]);
    expect(await ask(foreign, ...paths)).toEqual([undefined, undefined, undefined, undefined, BUSY]);
    expect(asked).toHaveLength(5);
    now += 31_000;
    await ask(foreign, '/down');
    expect(asked).toHaveLength(6);
  });

  it('inside the house, without TLS, or beyond the most for one question are not asked', async () => {
    expect(await ask(sources({}, { allow: [] }), '/a')).toEqual([undefined]);
    expect(await ask(sources({ sourceAllowPlain: false }), '/a')).toEqual([undefined]);
    expect(asked).toEqual([]);
    expect(await ask(sources({ maxSources: 2 }), '/1', '/2', '/3')).toEqual([BUSY, BUSY, undefined]);
    expect(asked).toHaveLength(2);
  });

  it('are asked so many at once', async () => {
    let open = 0;
    let most = 0;
    answer = (_request, response) => {
      open += 1;
      most = Math.max(most, open);
      setImmediate(() => {
        open -= 1;
        response.end(PAGE);
      });
    };
    const found = await ask(
      sources({ sourceParallel: 3 }),
      ...Array.from({ length: 12 }, (_each, index) => `/${index}`),
    );
    expect(found).toEqual(Array(12).fill(BUSY));
    expect(most).toBeLessThanOrEqual(3);
  });
});
