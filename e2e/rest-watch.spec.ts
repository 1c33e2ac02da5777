import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { forgetAnswers, seenStatuses, watchRest, wrongAnswers } from './rest-watch';
import { operations } from '@groupware/contracts';

describe('the watch over REST operations', () => {
  let answer: { status: number; headers: http.OutgoingHttpHeaders; body: string };
  const server = http.createServer((_request, response) =>
    response.writeHead(answer.status, answer.headers).end(answer.body),
  );
  let url = '';
  beforeAll(async () => {
    forgetAnswers();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    watchRest({ publicUrl: '', internalUrl: url });
  });
  afterAll(() => {
    forgetAnswers();
    server.close();
  });

  const JSON_TYPE = { 'content-type': 'application/json' };
  async function found(next: typeof answer, path: string, init: RequestInit = {}): Promise<string[]> {
    const known = new Set(wrongAnswers());
    answer = next;
    await (await fetch(`${url}${path}`, init)).text();
    return wrongAnswers().filter((line) => !known.has(line));
  }

  it('notes statuses, and bodies, headers and requests that are not those of the documents', async () => {
    const close = '/admin/v1/close-sessions/by-context';
    const post = (body: object) => ({ method: 'POST', body: JSON.stringify(body) });
    const good = { status: 200, headers: JSON_TYPE, body: '{"closed":["a"]}' };
    expect(await found(good, close, post({ contextIds: [1] }))).toEqual([]);
    expect(await found({ ...good, body: '{"closed":[1],"more":1}' }, close, post({ contextIds: ['1'] }))).toEqual(
      expect.arrayContaining([
        `POST ${close} 200: request.contextIds[] is no int`,
        `POST ${close} 200: answer.closed[] is no string`,
        `POST ${close} 200: answer.more is not declared`,
      ]),
    );
    const bare = await found({ status: 401, headers: JSON_TYPE, body: '{"error":"no"}' }, close, post({}));
    expect(bare).toContain(`POST ${close} 401: www-authenticate is missing`);
    expect(bare).toContain(`POST ${close} 401: error.code is missing`);
    const secret = await found({ ...good, body: '{"a":"b"}' }, '/preliminary/configuration/v1/property/a');
    expect(secret).toEqual([expect.stringContaining('cache-control is missing')]);
    const operation = operations.find(({ path }) => path === close)!;
    expect(seenStatuses(operation)).toEqual([200, 401]);
  });
});
