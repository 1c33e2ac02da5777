import type { DirectoryEntity } from '@groupware/contracts';
import fc from 'fast-check';
import { appointment } from '../testing/appointment.builder';
import { buildAttendeeList } from './attendee-list';
import type { People } from '@groupware/directory';
import { updateGroupMembers } from './group-members';

const person = (id: number): DirectoryEntity =>
  ({ kind: 'user', id, displayName: `U${id}`, email: `u${id}@x.invalid` }) as DirectoryEntity;
const group = (id: number, members: readonly number[]): DirectoryEntity => ({
  kind: 'group',
  id,
  displayName: 'G',
  members,
});
const peopleOf = (...groups: DirectoryEntity[]): People => ({
  entities: new Map([...[3, 4, 5, 6, 7].map(person), ...groups].map((entity) => [entity.id, entity])),
  byAddress: new Map(),
});
const invited = (wanted: object[], people: People) =>
  appointment({
    attendees: buildAttendeeList({
      participants: wanted as never,
      owner: 3,
      isPublic: false,
      before: [],
      people,
      user: { userId: 3, groups: [0] },
      defaultReply: () => 0,
      maxAttendees: 100,
    }),
  });
const users = (list: readonly { type: number; entity: number | null }[] | undefined) =>
  list?.filter(({ type }) => type === 1).map(({ entity }) => entity);
const change = (people: People) => ({ groupId: 10, people, defaultReply: () => 0 });

describe('members of an invited group', () => {
  it('come and go with their membership; owner and those who were named stay', () => {
    const before = invited(
      [
        { type: 2, id: 10 },
        { type: 1, id: 4 },
      ],
      peopleOf(group(10, [3, 4, 5])),
    );
    expect(users(updateGroupMembers(before, change(peopleOf(group(10, [6])))))).toEqual([4, 3, 6]);
  });

  it('stay while another group has them', () => {
    const before = invited(
      [
        { type: 2, id: 10 },
        { type: 2, id: 11 },
      ],
      peopleOf(group(10, [5]), group(11, [5])),
    );
    const next = updateGroupMembers(before, change(peopleOf(group(10, []), group(11, [5]))));
    expect(next).toBeUndefined();
  });

  it('stay by name when the group is gone', () => {
    const before = invited([{ type: 2, id: 10 }], peopleOf(group(10, [5, 6])));
    const next = updateGroupMembers(before, change(peopleOf()))!;
    expect(next.map(({ type, entity, listed }) => [type, entity, listed])).toEqual([
      [1, 3, true],
      [1, 5, true],
      [1, 6, true],
    ]);
  });

  it('are not invited again when they took themselves out', () => {
    const before = invited([{ type: 2, id: 10 }], peopleOf(group(10, [5])));
    const left = {
      ...before,
      attendees: before.attendees.map((each) => (each.entity === 5 ? { ...each, hidden: true, confirm: 2 } : each)),
    };
    expect(updateGroupMembers(left, change(peopleOf(group(10, [5]))))).toBeUndefined();
    expect(
      updateGroupMembers(left, change(peopleOf(group(10, [5, 6]))))!.find(({ entity }) => entity === 5),
    ).toMatchObject({ hidden: true, confirm: 2 });
  });

  it('end up as if the group had been invited as it is now, and a second word about it changes nothing', () => {
    const some = fc.uniqueArray(fc.constantFrom(3, 4, 5, 6, 7));
    fc.assert(
      fc.property(some, some, some, (old, now, named) => {
        const wanted = [{ type: 2, id: 10 }, ...named.map((id) => ({ type: 1, id }))];
        const before = invited(wanted, peopleOf(group(10, old)));
        const people = peopleOf(group(10, now));
        const next = updateGroupMembers(before, change(people)) ?? before.attendees;
        const fresh = invited(wanted, people).attendees;
        expect(users(next)!.sort()).toEqual(users(fresh)!.sort());
        expect(updateGroupMembers({ ...before, attendees: next }, change(people))).toBeUndefined();
      }),
    );
  });
});
