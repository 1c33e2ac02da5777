import { Periodic } from './periodic';

describe('Periodic', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('begins after one interval, and goes on after a round that failed', async () => {
    const failures: unknown[] = [];
    const work = jest.fn().mockRejectedValueOnce(new Error('no database')).mockResolvedValue(undefined);
    const rounds = new Periodic(work, (error) => failures.push(error));
    rounds.start(1_000);
    await jest.advanceTimersByTimeAsync(999);
    expect(work).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(2_001);
    expect(work).toHaveBeenCalledTimes(3);
    expect(failures).toEqual([new Error('no database')]);
    await rounds.stop();
  });

  it('begins no round during another, and stops after the one under way', async () => {
    let finish = () => {};
    const work = jest.fn(() => new Promise<void>((resolve) => (finish = resolve)));
    const rounds = new Periodic(work, jest.fn());
    rounds.start(10);
    await jest.advanceTimersByTimeAsync(30);
    rounds.requestRound();
    let stopped = false;
    const stopping = rounds.stop().then(() => (stopped = true));
    await jest.advanceTimersByTimeAsync(100);
    expect(stopped).toBe(false);
    finish();
    await stopping;
    expect(stopped).toBe(true);
    expect(rounds.isStopped).toBe(true);
    rounds.requestRound();
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('looks once more when it is asked during a round, and not for each interval that passed', async () => {
    let finish = () => {};
    const work = jest.fn(() => new Promise<void>((resolve) => (finish = resolve)));
    const rounds = new Periodic(work, jest.fn());
    rounds.start(10);
    rounds.requestRound();
    rounds.requestRound();
    rounds.requestRound();
    await jest.advanceTimersByTimeAsync(5);
    expect(work).toHaveBeenCalledTimes(1);
    finish();
    await jest.advanceTimersByTimeAsync(1);
    expect(work).toHaveBeenCalledTimes(2);
    await jest.advanceTimersByTimeAsync(40);
    finish();
    await jest.advanceTimersByTimeAsync(1);
    expect(work).toHaveBeenCalledTimes(2);
    finish();
    await rounds.stop();
  });

  it('goes on after work that threw at once, and after a report that failed', async () => {
    const work = jest
      .fn<Promise<unknown>, []>()
      .mockImplementationOnce(() => {
        throw new Error('at once');
      })
      .mockRejectedValueOnce(new Error('later'))
      .mockResolvedValue(undefined);
    const onFailure = jest.fn().mockImplementation(() => {
      throw new Error('no log');
    });
    const rounds = new Periodic(work, onFailure);
    rounds.start(1_000);
    await jest.advanceTimersByTimeAsync(3_000);
    expect(work).toHaveBeenCalledTimes(3);
    expect(onFailure.mock.calls).toEqual([[new Error('at once')], [new Error('later')]]);
    await expect(rounds.stop()).resolves.toBeUndefined();
  });

  it('has one timer, also when it is started again, and none once it was stopped', async () => {
    const work = jest.fn().mockResolvedValue(undefined);
    const rounds = new Periodic(work, jest.fn());
    rounds.start(10);
    rounds.start(1_000);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(work).toHaveBeenCalledTimes(1);
    await rounds.stop();
    rounds.start(10);
    expect(jest.getTimerCount()).toBe(0);
  });
});
