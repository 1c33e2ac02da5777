import type { DirectoryEntity } from '@groupware/contracts';
import { withAttendeeRest } from './attendee-rest';
import { buildAttendeeList, hasSameAttendees, applyAttendeeDelta } from './attendee-list';

const person = (id: number): DirectoryEntity =>
  ({ kind: 'user', id, displayName: `U${id}`, email: `u${id}@x.invalid` }) as DirectoryEntity;
const entities = new Map<number, DirectoryEntity>([
  ...[3, 4, 5].map((id) => [id, person(id)] as const),
  [10, { kind: 'group', id: 10, displayName: 'G', members: [3, 4, 5] }],
  [20, { kind: 'resource', id: 20, displayName: 'R', email: 'r@x.invalid', room: true }],
]);
const people = { entities, byAddress: new Map([['u4@x.invalid', person(4)]]) };

const user = { userId: 3, groups: [0] };
const list = (wanted: object[], before: any[] = [], options: { keepsHidden?: boolean } = {}) =>
  buildAttendeeList({
    ...options,
    participants: wanted as never,
    owner: 3,
    isPublic: false,
    before,
    people,
    user,
    defaultReply: () => 0,
    maxAttendees: 10,
  });
const short = (entries: ReturnType<typeof list>) =>
  entries.map(({ type, entity, mail, listed, confirm }) => [type, entity ?? mail, listed, confirm]);

describe('the list of attendees', () => {
  it('always has the owner, who has accepted', () => {
    expect(short(list([]))).toEqual([[1, 3, true, 1]]);
  });

  it('keeps a group and adds its members once, resources as accepted', () => {
    expect(
      short(
        list([
          { type: 2, id: 10 },
          { type: 1, id: 4 },
          { type: 3, id: 20 },
        ]),
      ),
    ).toEqual([
      [2, 10, true, 0],
      [1, 4, true, 0],
      [3, 20, true, 1],
      [1, 3, true, 1],
      [1, 5, false, 0],
    ]);
  });

  it('makes an external with the address of a user that user', () => {
    expect(
      short(
        list([
          { type: 5, mail: 'U4@x.invalid' },
          { type: 5, mail: 'e@x.invalid' },
        ]),
      ),
    ).toEqual([
      [1, 4, true, 0],
      [5, 'e@x.invalid', true, 0],
      [1, 3, true, 1],
    ]);
  });

  const withdraw = (entries: ReturnType<typeof list>) =>
    entries.map((entry) =>
      entry.entity === 4 ? { ...entry, confirm: 2, hidden: true, listed: false, folderId: null, alarm: 5 } : entry,
    );
  const find = (entries: ReturnType<typeof list>) => entries.find(({ type, entity }) => type === 1 && entity === 4);

  it('keeps the answer of whoever was there, and invites anew who had left', () => {
    const before = list([{ type: 1, id: 4 }]).map((entry) =>
      entry.entity === 4 ? { ...entry, confirm: 2, folderId: 9 } : entry,
    );
    expect(find(list([{ type: 1, id: 4 }], before))).toMatchObject({ confirm: 2, hidden: false, folderId: 9 });
    const invited = { confirm: 0, hidden: false, folderId: null, alarm: null };
    expect(find(list([{ type: 1, id: 4 }], withdraw(before)))).toMatchObject({ ...invited, listed: true });
    expect(find(list([{ type: 2, id: 10 }], withdraw(before)))).toMatchObject({ ...invited, listed: false });
  });

  it('leaves out members of a group who had left, until they are named', () => {
    const before = withdraw(list([{ type: 2, id: 10 }]));
    expect(find(list([{ type: 2, id: 10 }], before))).toMatchObject({ confirm: 2, hidden: true });
    const named = [
      { type: 2, id: 10 },
      { type: 1, id: 4 },
    ];
    expect(find(list(named, before))).toMatchObject({ confirm: 0, hidden: false, listed: true });
  });

  it('keeps unnamed whoever had left where clients are not shown them, unless their group is gone', () => {
    const before = withdraw(list([{ type: 1, id: 4 }]));
    const kept = list([{ type: 1, id: 5 }], before, { keepsHidden: true });
    expect(find(kept)).toEqual(find(before));
    expect(hasSameAttendees(kept, list([{ type: 1, id: 5 }]))).toBe(true);
    expect(find(list([{ type: 1, id: 5 }], before))).toBeUndefined();
    const ofGroup = withdraw(list([{ type: 2, id: 10 }])).map((each) =>
      each.entity === 4 ? withAttendeeRest(each, { member: ['10'] }) : each,
    );
    expect(find(list([{ type: 2, id: 10 }], ofGroup, { keepsHidden: true }))).toMatchObject({ hidden: true });
    expect(find(list([], ofGroup, { keepsHidden: true }))).toBeUndefined();
  });

  it.each([
    ['APP-0008', [{ type: 5 }]],
    [
      'APP-0106',
      [
        { type: 5, mail: 'a@x.invalid' },
        { type: 5, mail: 'A@x.invalid' },
      ],
    ],
    ['APP-0103', [{ type: 1, id: 99 }]],
    ['APP-0103', [{ type: 1, id: 20 }]],
    ['CAL-5073', Array.from({ length: 11 }, (_, index) => ({ type: 5, mail: `e${index}@x.invalid` }))],
  ])('%s for %j', (code, wanted) => {
    expect(() => list(wanted)).toThrow(code);
  });

  it('carries who came and who left into another list', () => {
    const before = list([{ type: 1, id: 4 }]);
    const after = list([{ type: 1, id: 5 }]);
    const own = list([
      { type: 1, id: 4 },
      { type: 5, mail: 'own@x.invalid' },
    ]);
    expect(
      applyAttendeeDelta(own, before, after)
        .map(({ entity, mail }) => entity ?? mail)
        .sort(),
    ).toEqual([3, 5, 'own@x.invalid']);
    expect(hasSameAttendees(before, after)).toBe(false);
    expect(hasSameAttendees(before, [...before].reverse())).toBe(true);
  });
});
