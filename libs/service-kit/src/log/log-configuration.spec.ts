import type { LogConfiguration, Principal } from '@groupware/contracts';
import { toLogLevel, LoggerGate, NO_CONFIGURATION, THRESHOLD, findThreshold, type LogScope } from './log-configuration';
import { configureLogs, withLogScope, Logger, setLogDestination, setLogLevel, showsStack, logsStack } from './logger';

const configuration = (part: Partial<LogConfiguration>): LogConfiguration => ({ ...NO_CONFIGURATION, ...part });
const never = (): LogScope => {
  throw new Error('nobody may ask whose call it is');
};
const { DEBUG, INFO, ERROR, TRACE } = THRESHOLD;

describe('the gate of a logger', () => {
  it('costs one comparison while nothing is set: it never asks whose call it is', () => {
    const gate = LoggerGate.create('calendar.import', NO_CONFIGURATION, INFO);
    expect([gate.passes(DEBUG, never), gate.passes(INFO, never), gate.passes(ERROR, never)]).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('takes the level of the nearest name above, root last', () => {
    const levels = { root: 'ERROR', calendar: 'DEBUG', 'calendar.import.rows': 'OFF' } as const;
    expect(findThreshold(levels, 'calendar.import')).toBe(DEBUG);
    expect(findThreshold(levels, 'calendar.import.rows')).toBe(Infinity);
    expect(findThreshold(levels, 'calendars')).toBe(ERROR);
    expect(findThreshold({}, 'calendar')).toBeUndefined();
    expect(findThreshold({ root: 'WARN' }, 'root')).toBe(THRESHOLD.WARN);
    expect(findThreshold({}, 'constructor')).toBeUndefined();
  });

  it('adds lines for a context, user or session, and never takes any away', () => {
    const gate = LoggerGate.create(
      'calendar.import',
      configuration({
        contexts: { 1: { calendar: 'DEBUG' }, 2: { calendar: 'OFF' } },
        users: { '3:4': { root: 'TRACE' }, '3:5': { folders: 'TRACE' } },
        sessions: { abc: { 'calendar.import': 'ALL' } },
      }),
      INFO,
    );
    const passes = (level: number, scope: LogScope) => gate.passes(level, () => scope);
    expect(passes(DEBUG, { contextId: 1, userId: 9 })).toBe(true);
    expect(passes(TRACE, { contextId: 1, userId: 9 })).toBe(false);
    expect(passes(INFO, { contextId: 2 })).toBe(true);
    expect(passes(DEBUG, { contextId: 2 })).toBe(false);
    expect(passes(TRACE, { contextId: 3, userId: 4 })).toBe(true);
    expect(passes(TRACE, { contextId: 3, userId: 5 })).toBe(false);
    expect(passes(TRACE, { contextId: 4, userId: 4 })).toBe(false);
    expect(passes(TRACE, { contextId: 9, userId: 9, sessionId: 'abc' })).toBe(true);
    expect(gate.passes(DEBUG, () => undefined)).toBe(false);
  });

  it('names levels as operators do', () => {
    expect([10, 20, 30, 40, 50, 60, Infinity].map(toLogLevel)).toEqual([
      'TRACE',
      'DEBUG',
      'INFO',
      'WARN',
      'ERROR',
      'OFF',
      'OFF',
    ]);
  });
});

describe('levels set at run time', () => {
  const lines: { logger: string; msg: string }[] = [];
  const log = Logger.for('folders.owners');
  const principal = (contextId: number, userId: number) => ({ kind: 'user', contextId, userId }) as Principal;

  beforeEach(() => {
    lines.length = 0;
    setLogDestination({ write: (line) => lines.push(JSON.parse(line) as (typeof lines)[0]) }, 'warn');
  });
  afterEach(() => configureLogs());
  afterAll(() => setLogLevel('silent'));

  it('hold for loggers that exist already and end again', () => {
    log.debug({}, 'before');
    configureLogs(configuration({ global: { folders: 'DEBUG' } }));
    log.debug({}, 'during');
    configureLogs();
    log.debug({}, 'after');
    log.warn({}, 'warning');
    expect(lines.map(({ msg }) => msg)).toEqual(['during', 'warning']);
  });

  it('hold for the calls of one user', () => {
    configureLogs(configuration({ users: { '1:3': { root: 'DEBUG' } } }));
    for (const user of [2, 3, 4]) withLogScope(principal(1, user), () => log.debug({}, `of ${user}`));
    withLogScope({ kind: 'internal', service: 'x', contextId: 1, user: principal(1, 3) as never }, () =>
      log.debug({}, 'on behalf'),
    );
    withLogScope({ kind: 'master', login: 'x' }, () => log.debug({}, 'master'));
    expect(lines.map(({ msg }) => msg)).toEqual(['of 3', 'on behalf']);
  });

  it('say whose errors show their stack and which are logged with it', () => {
    const user = principal(1, 3);
    expect([showsStack(user), logsStack('ERROR', user), logsStack('USER_INPUT', user)]).toEqual([false, true, false]);
    configureLogs(configuration({ stackTraces: ['1:3'], suppressed: ['ERROR'] }));
    expect([showsStack(user), showsStack(principal(1, 4)), showsStack(undefined)]).toEqual([true, false, false]);
    expect([logsStack('ERROR', user), logsStack('ERROR', undefined), logsStack('USER_INPUT', undefined)]).toEqual([
      true,
      false,
      true,
    ]);
  });
});
