import type { People } from '@groupware/directory';
import { buildParticipants } from './participants';
import { PARTICIPANT, type Participant } from './task';

const GROUP = 7;
const stored = (type: number, entity: number, listed: boolean): Participant => ({
  ...{ type, entity, listed, mail: null, displayName: `name ${entity}`, removed: false, confirm: 1, message: null },
});
const user = (id: number) => ({ kind: 'user', id, displayName: `name ${id}`, email: `${id}@example.org`, members: [] });
const peopleWith = (...entities: object[]): People => ({
  entities: new Map(entities.map((each: any) => [each.id, each])),
  byAddress: new Map(),
});
const build = (requests: { type: number; id: number }[], before: readonly Participant[], people: People) =>
  buildParticipants(requests, before, people, 1, 100)
    .filter(({ removed }) => !removed)
    .map(({ type, entity, listed, confirm }) => [type, entity, listed, confirm]);

describe('participants of a task whose group was deleted', () => {
  const before = [stored(PARTICIPANT.group, GROUP, true), stored(PARTICIPANT.user, 3, false)];

  it('are the members that it had, with their answers', () => {
    expect(build([{ type: PARTICIPANT.group, id: GROUP }], before, peopleWith(user(3)))).toEqual([
      [PARTICIPANT.user, 3, true, 1],
    ]);
  });

  it('go with it when the list names it no longer', () => {
    expect(build([], before, peopleWith(user(3)))).toEqual([]);
  });

  it('are refused with a group that was never there', () => {
    const add = () => build([{ type: PARTICIPANT.group, id: 8 }], before, peopleWith(user(3)));
    expect(add).toThrow(expect.objectContaining({ code: 'TSK-0018' }));
  });
});
