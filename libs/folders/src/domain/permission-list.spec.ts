import {
  addsAdmin,
  addsEntity,
  inheritPermissions,
  requireValidPermissions,
  hasSamePermissions,
  splitByRights,
} from './permission-list';
import { ALL_RIGHTS, VIEWER_RIGHTS } from './rights';

const owner = { entity: 3, group: false, bits: ALL_RIGHTS };
const viewer = { entity: 4, group: false, bits: VIEWER_RIGHTS };
const everybody = { entity: 0, group: true, bits: VIEWER_RIGHTS };
const own = { id: 34, type: 1, owner: 3, isDefault: false } as const;
const shared = { id: 34, type: 2, owner: 3, isDefault: false } as const;
const personal = { ...shared, isPersonal: true } as const;

describe('permission lists', () => {
  it.each([
    ['FLD-0015', [owner, { ...viewer, bits: ALL_RIGHTS }], own],
    ['FLD-0016', [owner, { ...everybody, bits: ALL_RIGHTS }], own],
    ['FLD-0017', [{ ...viewer, bits: ALL_RIGHTS }], own],
    ['FLD-0018', [viewer], own],
    ['FLD-0017', [{ ...viewer, bits: ALL_RIGHTS }], personal],
    ['FLD-0017', [{ ...everybody, bits: ALL_RIGHTS, entity: 3 }], personal],
    ['FLD-0018', [everybody], shared],
    ['FLD-0018', [{ ...owner, bits: VIEWER_RIGHTS }], personal],
    ['FLD-0061', [{ ...owner, bits: 3 }], own],
    ['FLD-0071', [{ ...viewer, bits: ALL_RIGHTS }], { ...own, isDefault: true }],
    ['FLD-0071', [{ ...viewer, bits: ALL_RIGHTS }], { ...personal, isDefault: true }],
    ['FLD-0079', [owner, owner], own],
    ['FLD-0080', [owner, everybody, everybody], own],
  ])('%s refuses a list that breaks its rule', (code, list, target) => {
    expect(() => requireValidPermissions(list, target)).toThrow(code);
  });

  it('takes a user and a group of the same number, and several administrators of a public or personal folder', () => {
    expect(() => requireValidPermissions([owner, { entity: 3, group: true, bits: VIEWER_RIGHTS }], own)).not.toThrow();
    for (const target of [shared, personal])
      expect(() => requireValidPermissions([owner, { ...viewer, bits: ALL_RIGHTS }], target)).not.toThrow();
  });

  it('adds an administrator who neither owns nor administrates the folder above', () => {
    const admin = { ...viewer, bits: ALL_RIGHTS };
    expect(addsAdmin([owner, viewer], [owner, viewer], 3)).toBe(false);
    expect(addsAdmin([owner, admin], [owner, viewer], 3)).toBe(true);
    expect(addsAdmin([owner, { ...admin, entity: 3, group: true }], [owner, viewer], 3)).toBe(true);
    expect(addsAdmin([owner, admin], [owner, admin], 3)).toBe(false);
  });

  it('adds an entity that is not there yet, which a group of the same number is not, nor the owner', () => {
    expect(addsEntity([owner, viewer], [owner])).toBe(true);
    expect(addsEntity([owner, viewer], [owner, { ...viewer, group: true }])).toBe(true);
    expect(addsEntity([owner, { ...viewer, bits: 1 }], [owner, viewer])).toBe(false);
    expect(addsEntity([owner], [], owner.entity)).toBe(false);
    expect(addsEntity([{ ...owner, group: true }], [], owner.entity)).toBe(true);
  });

  it('inherits the list of the parent with the owner as only administrator of a private folder', () => {
    const parent = [owner, { ...viewer, bits: ALL_RIGHTS }];
    expect(inheritPermissions(parent, own)).toEqual([owner, { ...viewer, bits: ALL_RIGHTS & ~(1 << 28) }]);
    expect(inheritPermissions(undefined, own)).toEqual([owner]);
  });

  it('compares lists without regard to their order', () => {
    expect(hasSamePermissions([owner, viewer], [viewer, owner])).toBe(true);
    expect(hasSamePermissions([owner], [owner, viewer])).toBe(false);
  });

  it('tell those with rights from others; the user who tells is neither', () => {
    const split = (...entities: number[]) => splitByRights(entities, [owner, viewer], { userId: 3 });
    expect(split(3, 4, 4, 5)).toEqual({ entitled: [4], others: [5] });
    expect(splitByRights([3], [viewer], { userId: 3 }).others).toEqual([3]);
  });
});
