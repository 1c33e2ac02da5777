import { CalendarErrors, RequestErrors, type CatalogueError } from '@groupware/contracts';
import type { CallOutcome } from '@groupware/messaging';
import { reportCall } from './call-log';
import { setLogDestination } from './log/logger';

const levels: unknown[] = [];
const operation = { service: 'test', module: 'test', name: 'get' } as CallOutcome['operation'];
const report = (error: CatalogueError) =>
  reportCall({
    operation,
    principal: { kind: 'anonymous' },
    requestId: 'r',
    code: error.code,
    durationMs: 1,
    error,
  });

beforeEach(() => {
  levels.length = 0;
  setLogDestination({ write: (line) => levels.push((JSON.parse(line) as { level: string }).level) });
});
afterAll(() => setLogDestination({ write: () => undefined }, 'silent'));

describe('the line of a call that failed', () => {
  it('is an error where the service is at fault', () => {
    report(RequestErrors.unexpected());
    expect(levels).toEqual(['error']);
  });

  it('is none where the request was wrong', () => {
    report(RequestErrors.badParameter('columns', 'x'));
    report(CalendarErrors.notOrganizer());
    expect(levels).toEqual(['info', 'info']);
  });
});
