import {
  ALL_RIGHTS,
  toBits,
  coversObject,
  effectiveRights,
  combineRights,
  requireValidBits,
  parseRights,
  parseRightsLetters,
  toRightsLetters,
  VIEWER_RIGHTS,
} from './rights';

describe('permission bits', () => {
  it.each([
    [403710016, { folder: 64, read: 64, write: 64, remove: 64, admin: true }],
    [257, { folder: 1, read: 2, write: 0, remove: 0, admin: false }],
    [33025, { folder: 1, read: 2, write: 2, remove: 0, admin: false }],
    [4227330, { folder: 2, read: 2, write: 2, remove: 2, admin: false }],
    [4227332, { folder: 4, read: 2, write: 2, remove: 2, admin: false }],
    [1, { folder: 1, read: 0, write: 0, remove: 0, admin: false }],
  ])('%d are the rights of the table of the API', (bits, rights) => {
    expect(parseRights(bits)).toEqual(rights);
    expect(toBits(rights)).toBe(bits);
    expect(() => requireValidBits(bits)).not.toThrow();
  });

  it.each([3, 5, 65, 3 << 7, 4 << 14, 127 << 21, 2 ** 29, -1, 1.5])('%d name no rank', (bits) => {
    expect(() => requireValidBits(bits)).toThrow('FLD-0061');
  });

  it.each([
    [403710016, 'lrswipcdtea'],
    [257, 'lrs'],
    [4227330, 'lrswipdte'],
    [1, 'l'],
    [0, ''],
  ])('%d are the letters %s of mail folders', (bits, letters) => {
    expect(toRightsLetters(bits)).toBe(letters);
  });

  it.each([
    ['lrswipkxtecda', 403710016],
    ['lrswipcda', 403710016],
    ['lr', 257],
    ['lrws', 33025],
    ['lrswite', 4227330],
    ['lrswitek', 4227332],
    ['lrt', 257],
    ['l', 1],
    ['p', 0],
    ['', 0],
  ])('of the letters %s of a mail server are %d', (letters, bits) => {
    expect(parseRightsLetters(letters)).toBe(bits);
  });

  it('gives the highest rank of each group over all entries', () => {
    expect(combineRights([VIEWER_RIGHTS, 2 | (1 << 14)])).toBe(
      toBits({ folder: 2, read: 2, write: 1, remove: 0, admin: false }),
    );
    expect(combineRights([])).toBe(0);
  });

  it('lets rank 1 reach own objects only', () => {
    expect([
      coversObject(0, true),
      coversObject(1, true),
      coversObject(1, false),
      coversObject(2, false),
      coversObject(64, false),
    ]).toEqual([false, true, false, true, true]);
  });

  it('restricts by what the user may do at all', () => {
    const user = (...capabilities: string[]) => ({ userId: 3, capabilities });
    expect(effectiveRights(0, { type: 1, owner: 3 }, user())).toBe(ALL_RIGHTS);
    expect(effectiveRights(VIEWER_RIGHTS, { type: 1, owner: 4 }, user())).toBe(0);
    expect(effectiveRights(0, { type: 2, owner: 3, isPersonal: true }, user())).toBe(ALL_RIGHTS);
    expect(effectiveRights(4227332, { type: 2, owner: 4, isPersonal: true }, user())).toBe(4227332);
    expect(effectiveRights(VIEWER_RIGHTS, { type: 1, owner: 4 }, user('read_create_shared_folders'))).toBe(
      VIEWER_RIGHTS,
    );
    expect(effectiveRights(4227332, { type: 2, owner: 4 }, user())).toBe(VIEWER_RIGHTS);
    expect(effectiveRights(4227332, { type: 2, owner: 4 }, user('edit_public_folders'))).toBe(4227332);
  });

  it('leaves guests what they were given', () => {
    const guest = { userId: 3, capabilities: [], guest: true };
    for (const type of [1, 2] as const) expect(effectiveRights(4227332, { type, owner: 4 }, guest)).toBe(4227332);
    expect(effectiveRights(4227332, { type: 1, owner: 4, isExternal: true }, guest)).toBe(0);
  });
});
