import { EventEmitter } from 'node:events';
import { setTracer, type Span } from '@groupware/contracts';
import type { Exchange } from '../edge/exchange';
import { traceExchange } from './trace-exchange';

describe('the span of a request', () => {
  const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
  const PARENT = '00f067aa0ba902b7';
  const parents: (string | undefined)[] = [];
  const outcomes: Parameters<Span['end']>[0][] = [];

  beforeEach(() => {
    parents.length = outcomes.length = 0;
    setTracer({
      startSpan: (_name, _kind, _attributes, parent) => {
        parents.push(parent);
        return { traceparent: '', within: (work) => work(), end: (outcome) => void outcomes.push(outcome) };
      },
    });
  });
  afterEach(() => setTracer(undefined));

  async function trace(response: object, traceparent?: string): Promise<void> {
    const closing = Object.assign(new EventEmitter(), { statusCode: 200, writableFinished: true, headersSent: true });
    Object.assign(closing, response);
    const exchange = { request: { headers: { traceparent } }, response: closing, method: 'GET', requestId: 'r' };
    await traceExchange(exchange as unknown as Exchange, async () => undefined);
    closing.emit('close');
  }

  it('tells the status that was sent', async () => {
    await trace({});
    await trace({ statusCode: 503 });
    expect(outcomes).toEqual([
      { name: 'GET', attributes: { 'http.response.status_code': 200, 'groupware.request_id': 'r' } },
      { name: 'GET', attributes: { 'http.response.status_code': 503, 'groupware.request_id': 'r' }, error: '503' },
    ]);
  });

  it('tells that the client went before it had the answer, and a status only where one was sent', async () => {
    await trace({ writableFinished: false, headersSent: false });
    await trace({ writableFinished: false });
    expect(outcomes).toEqual([
      { name: 'GET', attributes: { 'groupware.request_id': 'r' }, error: 'aborted' },
      { name: 'GET', attributes: { 'http.response.status_code': 200, 'groupware.request_id': 'r' }, error: 'aborted' },
    ]);
  });

  it('has the parent that a client names, unless it is none', async () => {
    const valid = `00-${TRACE}-${PARENT}-01`;
    for (const header of [
      valid,
      `cc-${TRACE}-${PARENT}-01`,
      `ff-${TRACE}-${PARENT}-01`,
      `00-${'0'.repeat(32)}-${PARENT}-01`,
      `00-${TRACE}-${'0'.repeat(16)}-01`,
      `00-${TRACE.toUpperCase()}-${PARENT}-01`,
      undefined,
    ])
      await trace({}, header);
    expect(parents).toEqual([valid, `cc-${TRACE}-${PARENT}-01`, ...Array<undefined>(5).fill(undefined)]);
  });
});
