import { Logger, setLogDestination, withLabels } from './logger';

describe('a log line', () => {
  const lines: Record<string, unknown>[] = [];
  const log = Logger.for('test');

  beforeEach(() => {
    lines.length = 0;
    setLogDestination({ write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) });
  });
  afterAll(() => setLogDestination({ write: () => undefined }, 'silent'));

  it('holds no secret, wherever it stands', () => {
    const fields = {
      password: 'a',
      user: { name: 'ann', token: 'b', account: { secret: 'c', id: 5 } },
      headers: [{ cookie: 'd' }],
    };
    log.info(fields, 'text');
    expect(lines[0]).toMatchObject({
      password: '***',
      user: { name: 'ann', token: '***', account: { secret: '***', id: 5 } },
      headers: [{ cookie: '***' }],
      msg: 'text',
    });
    // The caller's object is left alone.
    expect(fields).toMatchObject({ password: 'a', user: { token: 'b', account: { secret: 'c' } } });
  });

  it('bears the time in UTC to the millisecond', () => {
    const clock = jest.spyOn(Date, 'now');
    try {
      for (const ms of [0, 7, 999, 1000]) {
        clock.mockReturnValue(1_795_267_216_000 + ms);
        log.info({});
      }
    } finally {
      clock.mockRestore();
    }
    expect(lines.map(({ time }) => time)).toEqual(
      [0, 7, 999, 1000].map((ms) => new Date(1_795_267_216_000 + ms).toISOString()),
    );
  });

  it('keeps errors with their text and carries the labels of its call', () => {
    withLabels({ requestId: 'r-1', module: 'calendar' }, () => log.warn({ err: new Error('broken') }, 'text'));
    expect(lines[0]).toMatchObject({
      requestId: 'r-1',
      module: 'calendar',
      logger: 'test',
      err: { message: 'broken' },
    });
  });

  it('leaves nothing of itself in the lines after it', () => {
    const [first, second] = [{ msg: 'first' }, { msg: 'second' }];
    const write = () => {
      log.info({ file: 'a' }, first.msg);
      log.info({ count: 1 }, second.msg);
    };
    write();
    withLabels({ requestId: 'r-2' }, write);
    expect(lines.map(({ msg, file, count, requestId }) => ({ msg, file, count, requestId }))).toEqual([
      { ...first, file: 'a' },
      { ...second, count: 1 },
      { ...first, file: 'a', requestId: 'r-2' },
      { ...second, count: 1, requestId: 'r-2' },
    ]);
  });
});
