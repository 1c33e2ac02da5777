import { appointment } from '../testing/appointment.builder';
import type { Appointment } from './appointment';
import { createException } from './exception';
import { DeletionPlan } from './deletions';

const DAY = 86_400_000;
const START = Date.UTC(2020, 0, 6, 9);
/** Original start of the nth occurrence, local ms. */
const nth = (position: number): number => START + (position - 1) * DAY;

/** A daily series of five from 6 January 2020. */
const series = (fields: Partial<Appointment> = {}): Appointment =>
  appointment({
    ...{ id: 7, seriesId: 7, rule: 'FREQ=DAILY;COUNT=5', sequence: 3, rangeEndMs: START + 4 * DAY + 3_600_000 },
    ...{ organizer: 'ann@here.example', organizerId: 3 },
    ...fields,
  });
const sequences = (plan: DeletionPlan): number[] => plan.toChanges().changed.map(({ after }) => after.sequence);

describe('deletions in a series', () => {
  it('raise its sequence once, however many occurrences a call names', () => {
    const plan = new DeletionPlan([series()]);
    plan.deleteAppointment(plan.findAppointment(7)!, { position: 2 });
    expect(sequences(plan)).toEqual([4]);
    plan.deleteAppointment(plan.findAppointment(7)!, { position: 3 });
    plan.endSeries(plan.findAppointment(7)!, { position: 4 });
    expect(sequences(plan)).toEqual([4]);
  });

  it('raise it for an exception that goes', () => {
    const master = series({ changes: [nth(2)] });
    const exception = {
      ...createException(master, { localMs: nth(2), startMs: nth(2), endMs: nth(2) + 3_600_000, position: 2 }),
      id: 8,
    };
    const plan = new DeletionPlan([master, exception]);
    plan.deleteAppointment(exception, {});
    expect(sequences(plan)).toEqual([4]);
    expect(plan.toChanges().removed).toEqual([exception]);
  });

  it('leave it alone where somebody only takes himself out, and where an organizer elsewhere counts', () => {
    const withdrawn = new DeletionPlan([series()]);
    withdrawn.withdrawUser(withdrawn.findAppointment(7)!, 4, { position: 2 });
    expect(sequences(withdrawn)).toEqual([3]);
    const invited = new DeletionPlan([series({ organizer: 'zoe@elsewhere.example', organizerId: null })]);
    invited.deleteAppointment(invited.findAppointment(7)!, { position: 2 });
    invited.endSeries(invited.findAppointment(7)!, { position: 4 });
    expect(sequences(invited)).toEqual([3]);
  });
});
