import { appointment } from '../testing/appointment.builder';
import { ENDLESS } from './appointment';
import { toAppointmentChange } from './appointment-change';

const HOUR = 3_600_000;
const attendee = (entity: number, fields: object = {}) => ({
  type: 1,
  entity,
  mail: null,
  displayName: null,
  folderId: 100 + entity,
  direct: false,
  listed: true,
  hidden: false,
  confirm: 0,
  message: null,
  alarm: null,
  extra: null,
  ...fields,
});

describe('the event of an appointment', () => {
  it('names whom it concerns, now and before, and the whole period to look at again', () => {
    const before = appointment({ attendees: [attendee(4), attendee(20, { type: 3, folderId: null })] });
    const after = {
      ...before,
      startMs: before.startMs + HOUR,
      endMs: before.endMs + HOUR,
      rangeEndMs: before.rangeEndMs + HOUR,
      attendees: [attendee(5)],
    };
    expect(toAppointmentChange(after, before, { by: 3, stamp: 7 })).toEqual({
      id: 1,
      uid: 'u',
      folders: [34, 104, 105],
      users: [4, 5],
      resources: [20],
      by: 3,
      stamp: 7,
      fromMs: before.startMs,
      toMs: after.rangeEndMs,
      busy: true,
    });
  });

  it('has no end for a series without one', () => {
    const series = appointment({ seriesId: 1, rule: 'FREQ=DAILY', rangeEndMs: ENDLESS });
    expect(toAppointmentChange(series)).toMatchObject({ seriesId: 1, fromMs: series.startMs, busy: true });
    expect(toAppointmentChange(series)).not.toHaveProperty('toMs');
  });

  it.each([
    ['title', { title: 'new' }, false],
    ['alarm', { attendees: [attendee(4, { alarm: 5 })] }, false],
    ['message of an answer', { attendees: [attendee(4, { message: 'x' })] }, false],
    ['answer', { attendees: [attendee(4, { confirm: 2 })] }, true],
    ['somebody who took himself out', { attendees: [attendee(4, { hidden: true })] }, true],
    ['shown_as', { shownAs: 4 }, true],
    ['a deleted occurrence', { exdates: [0] }, true],
  ])('tells whether busy times may differ: %s', (_what, fields, busy) => {
    const before = appointment({ attendees: [attendee(4)] });
    expect(toAppointmentChange({ ...before, ...fields }, before).busy).toBe(busy);
  });
});
