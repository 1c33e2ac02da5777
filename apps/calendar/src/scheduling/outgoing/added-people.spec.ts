import type { Attendee } from '../../domain/appointment';
import { appointment } from '../../testing/appointment.builder';
import { listAddedPeople } from './added-people';

const user = (entity: number, more: Partial<Attendee> = {}) =>
  ({
    type: 1,
    entity,
    mail: `u${entity}@x.example`,
    displayName: null,
    listed: true,
    hidden: false,
    ...more,
  }) as Attendee;
const external = (mail: string, displayName: string | null = null) =>
  ({ type: 5, entity: null, mail, displayName, listed: true, hidden: false }) as Attendee;
const own = { owner: 3, organizerId: 3 };

describe('people whom a user adds', () => {
  it('are those who are named: not the user, the owner of the calendar, members of groups and resources', () => {
    const after = appointment({
      ...own,
      attendees: [
        ...[user(3), user(4), user(5), user(6, { listed: false }), user(7, { hidden: true })],
        ...[external('Zoe@y.example', 'Zoe'), { ...user(8), type: 3 }, { ...user(9), type: 2 }],
      ],
    });
    const people = [{ address: 'u5@x.example' }, { address: 'Zoe@y.example', name: 'Zoe' }];
    expect(listAddedPeople([{ after }], 4)).toEqual(people);
  });

  it('are no people who attended before: neither those of a series for its occurrence, nor those who left', () => {
    const series = appointment({ ...own, attendees: [user(3), user(5), external('zoe@y.example')] });
    const occurrence = { ...series, attendees: [...series.attendees, external('joe@y.example')] };
    const changes = [{ before: series, after: series }, { after: occurrence }];
    expect(listAddedPeople(changes, 3)).toEqual([{ address: 'joe@y.example' }]);
    expect(listAddedPeople([{ before: occurrence, after: series }], 3)).toEqual([]);
  });

  it('are no people whom an organizer elsewhere invited', () => {
    const organizer = 'boss@y.example';
    const after = appointment({ owner: 3, organizer, organizerId: null, attendees: [user(3), external(organizer)] });
    expect(listAddedPeople([{ after }], 3)).toEqual([]);
  });
});
