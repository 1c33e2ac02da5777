import { ExpansionBudget, occurrencesBetween, parseRule, type Series } from './index';

const START = Date.UTC(2030, 0, 1);
const DAY_MS = 86_400_000;
const series = (rule: string): Series => ({
  rule: parseRule(rule),
  startLocalMs: START,
  timeZone: 'UTC',
  durationMs: 0,
  allDay: false,
});
const expand = (budget: ExpansionBudget, rule: string) =>
  budget.spend((steps) => occurrencesBetween(series(rule), START, START + 10 * DAY_MS, { steps }));

describe('the steps of one request', () => {
  it('are shared by all series it asks about', () => {
    const budget = new ExpansionBudget(60);
    expect(expand(budget, 'FREQ=DAILY')).toHaveLength(10);
    expect(expand(budget, 'FREQ=DAILY')).toHaveLength(10);
    expect(budget.isSpent).toBe(false);
    expect(() => expand(budget, 'FREQ=SECONDLY')).toThrow(expect.objectContaining({ code: 'TOO_COMPLEX' }));
    expect(budget.isSpent).toBe(true);
    expect(() => expand(budget, 'FREQ=DAILY')).toThrow(expect.objectContaining({ code: 'TOO_COMPLEX' }));
  });

  it('are not used up by one series that needs too many', () => {
    const budget = new ExpansionBudget(1_000_000);
    expect(() => expand(budget, 'FREQ=SECONDLY')).toThrow(expect.objectContaining({ code: 'TOO_COMPLEX' }));
    expect(expand(budget, 'FREQ=DAILY')).toHaveLength(10);
  });
});
