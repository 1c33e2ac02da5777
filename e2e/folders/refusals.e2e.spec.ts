import { allErrors, folders, ofFolderTransfer, operationsOf } from '@groupware/contracts';
import { createFixtures, createTestUser, PASSWORD, type Fixtures, type TestUser } from '../fixtures';
import { created } from '../calendar/calendar';
import type { Envelope } from '../client';
import { BITS, createFolder, homeOf, upload } from '../files/files';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import { ALL, AUTHOR, freshName, made, read, remove, permissionsFor, SUBFOLDERS, update, VIEWER } from './folders';

let world: TestEnvironment;
let cast: Fixtures;
let owner: TestUser;
let guest: TestUser;
/** No calendar at all. */
let excluded: TestUser;
/** Neither shares folders nor writes public ones. */
let limited: TestUser;
/** May own one folder only. */
let full: TestUser;
let count = 0;
/** Ids by name. */
const at: Record<string, string> = {};
/** Codes seen by action. */
const seen = new Map<string, Set<string>>();

const someone = (): Promise<TestUser> => createTestUser(world, cast.admin, cast.contextId, `r${(count += 1)}`);
const adminOf = (player: TestUser) => `/admin/v1/contexts/${cast.contextId}/users/${player.userId}`;
async function without(...flags: string[]): Promise<TestUser> {
  const player = await someone();
  const values = Object.fromEntries(flags.map((flag) => [flag, false]));
  await cast.admin.expect('PUT', `${adminOf(player)}/module-access`, { flags: values });
  await player.login(player.loginName, PASSWORD);
  return player;
}
const entry = (player: TestUser, bits: number) => ({ entity: player.userId, bits, group: false });

beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createFixtures(world);
  [owner, guest, full] = [await someone(), await someone(), await someone()];
  excluded = await without('calendar');
  limited = await without('readcreatesharedfolders', 'editpublicfolders');
  await cast.admin.expect('PUT', `${adminOf(full)}/config/com.example.folder.maxPerUser`, { value: 1 });
  await cast.admin.expect('PUT', `${adminOf(full)}/config/com.example.quota.invite_guests`, { value: 0 });
  at.private = await made(owner);
  at.other = await made(owner, { title: 'Taken' });
  at.below = await made(owner, {}, at.other);
  at.shared = await made(owner, { permissions: permissionsFor(owner, [guest, AUTHOR]) });
  at.open = await made(owner, { permissions: permissionsFor(owner, [guest, SUBFOLDERS]) });
  at.public = await made(owner, { permissions: permissionsFor(owner, [guest, SUBFOLDERS]) }, 2);
  at.foreign = await made(guest, { permissions: [entry(guest, ALL)] }, at.public);
  const own = 64 | (64 << 7) | (64 << 14) | (1 << 21) | (1 << 28);
  at.full = await made(owner, { permissions: permissionsFor(owner, [guest, own]) }, 2);
  await created(owner, { start_date: 1588582800000, end_date: 1588586400000, folder_id: at.full });
  at.locked = await createFolder(owner, await homeOf(owner), [[guest.userId, BITS.author]]);
  await guest.get('infostore', 'lock', { id: await upload(guest, at.locked, 'kept.txt') });
  at.limited = await made(limited);
  at.upper = await made(owner);
  await made(owner, {}, at.upper);
  // The flat tree shows the shared folders of all owners in one list.
  for (const sharing of [guest, await someone()]) {
    const title = 'Twice';
    await made(sharing, { title, permissions: permissionsFor(sharing, [owner, VIEWER]) });
  }
}, 120_000);
afterAll(() => world?.close());

type Refusal = [
  what: string,
  code: string,
  who: () => TestUser,
  query: () => Record<string, string | number | boolean>,
  body?: () => unknown,
];

const me = () => owner;
const other = () => guest;
const bits = (value: number) => () => ({ permissions: [entry(owner, ALL), entry(guest, value)] });

/** Lists what every call that names a folder refuses. */
const naming = (parameter: string, query: object = {}, body?: () => unknown, unknown = 'FLD-0008'): Refusal[] => [
  ['no such folder', unknown, me, () => ({ ...query, [parameter]: 99_986 }), body],
  ['a folder of no module', unknown, me, () => ({ ...query, [parameter]: 20_000 }), body],
  ['a folder that is not shared', 'FLD-0003', other, () => ({ ...query, [parameter]: at.private! }), body],
  ['no id at all', 'FLD-1025', me, () => ({ ...query, [parameter]: 'abc' }), body],
  ['a module the user must not use', 'FLD-0002', () => excluded, () => ({ ...query, [parameter]: at.private! }), body],
];
const tree = (query: object, body?: () => unknown): Refusal[] => [
  ['an unknown tree', 'FLD-1031', me, () => ({ ...query, tree: 7 }), body],
  ['a tree with a long name', 'FLD-0058', me, () => ({ ...query, tree: 'x'.repeat(65) }), body],
];
const reading = (query: object): Refusal[] => [
  ...tree(query),
  ['a word for a boolean', 'FLD-0058', me, () => ({ ...query, altNames: 'perhaps' })],
  ['an unknown zone', 'FLD-0058', me, () => ({ ...query, timezone: 'Mars/Olympus' })],
  ['an unknown column', 'FLD-0059', me, () => ({ ...query, columns: '1,shade' })],
];
const columns = '1';
const fine = () => ({ title: freshName(), module: 'calendar' });
/** Lists what a folder body may not say, in a new folder and in an update. */
const content = (query: () => object): Refusal[] =>
  (
    [
      ['an empty name', 'FLD-0007', { title: '  ' }],
      ['a permission for nobody', 'FLD-0007', { permissions: [{ bits: 1 }] }],
      ['a permission for nothing', 'FLD-0007', { permissions: [{ entity: 2 }] }],
      ['a name that is taken', 'FLD-0012', { title: 'TAKEN' }],
      ['a name that is too long', 'FLD-0064', { title: 'x'.repeat(256) }],
      ['a reserved name', 'FLD-1033', { title: 'Public folders' }],
      ['an unprintable name', 'FLD-0092', { title: 'a\u0007b' }],
      ['an unknown user', 'FLD-0044', () => ({ permissions: [entry(owner, ALL), { entity: 424242, bits: 1 }] })],
      ['a group as user', 'FLD-0044', () => ({ permissions: [entry(owner, ALL), { entity: cast.team, bits: 1 }] })],
      [
        'a guest without address',
        'FLD-0007',
        () => ({ permissions: [entry(owner, ALL), { type: 'guest', bits: 257 }] }),
      ],
      [
        'two links',
        'FLD-0044',
        () => ({ permissions: [entry(owner, ALL), ...[1, 2].map(() => ({ type: 'anonymous', bits: 257 }))] }),
      ],
      [
        'guests who write',
        'FLD-0061',
        () => ({ permissions: [entry(owner, ALL), { entity: 2147483647, group: true, bits: 33025 }] }),
      ],
      ['a number that names no rank', 'FLD-0061', bits(3)],
      ['a negative number', 'FLD-0061', bits(-1)],
      ['a number beyond all bits', 'FLD-0061', bits(2 ** 33 + 257)],
      ['a number that is not whole', 'FLD-0061', bits(257.5)],
      ['a number that names no rank for objects', 'FLD-0061', bits(1 | (4 << 7))],
      ['a user twice', 'FLD-0079', () => ({ permissions: [entry(owner, ALL), entry(guest, 1), entry(guest, 257)] })],
      [
        'a group twice',
        'FLD-0080',
        () => ({
          permissions: [entry(owner, ALL), ...[1, 257].map((rank) => ({ entity: cast.team, group: true, bits: rank }))],
        }),
      ],
      ['two administrators', 'FLD-0015', bits(ALL)],
      [
        'a group as administrator',
        'FLD-0016',
        () => ({ permissions: [entry(owner, ALL), { entity: cast.team, group: true, bits: ALL }] }),
      ],
      ['another administrator', 'FLD-0017', () => ({ permissions: [entry(owner, 257), entry(guest, ALL)] })],
      ['no administrator', 'FLD-0018', () => ({ permissions: [entry(owner, 257)] })],
    ] as [string, string, object | (() => object)][]
  ).map(([what, code, body]) => [
    what,
    code,
    me,
    () => query() as Record<string, string>,
    () => ({ title: freshName(), ...(typeof body === 'function' ? body() : body) }),
  ]);

const REFUSALS: Record<string, Refusal[]> = {
  root: reading({ columns }),
  list: [
    ...reading({ columns, parent: 1 }),
    ...naming('parent', { columns }),
    ['equal names', 'FLD-1034', me, () => ({ columns, parent: 3, tree: 1, errorOnDuplicateName: true })],
  ],
  get: [...tree({ id: 1 }), ...naming('id'), ['a user who shares nothing', 'FLD-0008', me, () => ({ id: 'u:999' })]],
  path: [...reading({ columns, id: 1 }), ...naming('id', { columns })],
  allVisible: [
    ...reading({ columns, content_type: 'calendar' }),
    ['an unknown module', 'FLD-1018', me, () => ({ columns, content_type: 'poetry' })],
  ],
  allVisibleByPut: [
    ...reading({ columns, content_type: 'calendar' }),
    ['an unknown module', 'FLD-1018', me, () => ({ columns, content_type: 'poetry' })],
  ],
  shares: [
    ...reading({ columns, content_type: 'calendar' }),
    ['an unknown module', 'FLD-1018', me, () => ({ columns, content_type: '99' })],
  ],
  updates: [
    ...reading({ columns, parent: 1, timestamp: 0 }),
    ...naming('parent', { columns, timestamp: 0 }),
    ['an unknown word to ignore', 'FLD-0058', me, () => ({ columns, parent: 1, timestamp: 0, ignore: 'changed' })],
  ],
  new: [
    ...tree({ folder_id: 1 }, fine),
    ...naming('folder_id', {}, fine),
    ...content(() => ({ folder_id: at.other ? 1 : 1 })).map(([what, code, who, query, body]): Refusal => [
      what,
      code,
      who,
      query,
      () => ({ module: 'calendar', ...(body!() as object) }),
    ]),
    ['no module at the top', 'FLD-0007', me, () => ({ folder_id: 1 }), () => ({ title: 'x' })],
    ['an unknown module', 'FLD-0042', me, () => ({ folder_id: 1 }), () => ({ title: 'x', module: 'poetry' })],
    [
      'files among private folders',
      'FLD-0014',
      me,
      () => ({ folder_id: 1 }),
      () => ({ title: 'x', module: 'infostore' }),
    ],
    ['files in a calendar', 'FLD-0014', me, () => ({ folder_id: at.private! }), () => ({ title: 'x', module: '8' })],
    ['below the shared folders', 'FLD-0006', me, () => ({ folder_id: 3 }), fine],
    ['below a user', 'FLD-0006', other, () => ({ folder_id: `u:${owner.userId}` }), fine],
    ['below a folder without the right', 'FLD-0006', other, () => ({ folder_id: at.shared! }), fine],
    ['a public folder without the right', 'FLD-0005', () => limited, () => ({ folder_id: 2 }), fine],
    [
      'sharing without the right',
      'FLD-0072',
      () => limited,
      () => ({ folder_id: 1 }),
      () => ({ ...fine(), permissions: [entry(limited, ALL), entry(guest, VIEWER)] }),
    ],
    [
      'administration below the folder of another user',
      'FLD-0070',
      other,
      () => ({ folder_id: at.open! }),
      () => ({ ...fine(), permissions: [entry(guest, ALL)] }),
    ],
    ['one folder too many', 'FLD-1029', () => full, () => ({ folder_id: 1 }), fine],
    [
      'a way to tell that is unknown',
      'FLD-0058',
      me,
      () => ({ folder_id: 1 }),
      () => ({ folder: fine(), notification: { transport: 'pigeon' } }),
    ],
  ],
  update: [
    ...tree({ id: 1 }, () => ({ title: 'x' })),
    ...naming('id', {}, () => ({ title: 'x' })),
    ...content(() => ({ id: at.private! })),
    ['a change since', 'FLD-1022', me, () => ({ id: at.private!, timestamp: 1 }), () => ({ title: 'late' })],
    ['no administrator', 'FLD-0010', other, () => ({ id: at.shared! }), () => ({ title: 'x' })],
    [
      'a guest without mail address',
      'SHR-0005',
      me,
      () => ({ id: at.private! }),
      () => ({ permissions: [entry(owner, ALL), { type: 'guest', email_address: 'nobody', bits: VIEWER }] }),
    ],
    ['a system folder', 'FLD-0010', me, () => ({ id: 2 }), () => ({ title: 'x' })],
    ['the folder of a user', 'FLD-0063', other, () => ({ id: `u:${owner.userId}` }), () => ({ title: 'x' })],
    ['another module', 'FLD-0084', me, () => ({ id: at.private! }), () => ({ module: 'tasks' })],
    ['another module of the default folder', 'FLD-0085', me, () => ({ id: owner.folder }), () => ({ module: 'tasks' })],
    ['another name of the default folder', 'FLD-0011', me, () => ({ id: owner.folder }), () => ({ title: 'x' })],
    [
      'another place of the default folder',
      'FLD-0021',
      me,
      () => ({ id: owner.folder }),
      () => ({ folder_id: at.other }),
    ],
    ['another place of a shared folder', 'FLD-0023', other, () => ({ id: at.shared! }), () => ({ folder_id: 1 })],
    ['another place of a system folder', 'FLD-0025', me, () => ({ id: 2 }), () => ({ folder_id: 1 })],
    [
      'a place below a shared folder',
      'FLD-0024',
      other,
      () => ({ id: guest.folder }),
      () => ({ folder_id: `u:${owner.userId}` }),
    ],
    ['a place among public folders', 'FLD-0026', me, () => ({ id: at.private! }), () => ({ folder_id: 2 })],
    ['a place among private folders', 'FLD-0027', me, () => ({ id: at.public! }), () => ({ folder_id: 1 })],
    ['a place without the right', 'FLD-0006', me, () => ({ id: at.private! }), () => ({ folder_id: 3 + 1 })],
    ['onto itself', 'FLD-0028', me, () => ({ id: at.private! }), () => ({ folder_id: at.private })],
    ['below itself', 'FLD-0045', me, () => ({ id: at.other! }), () => ({ folder_id: at.below })],
    ['with a folder of another user below', 'FLD-0029', me, () => ({ id: at.public! }), () => ({ folder_id: at.full })],
    [
      'a default folder without its owner',
      'FLD-0071',
      me,
      () => ({ id: owner.folder }),
      () => ({ permissions: [entry(owner, 257)] }),
    ],
    [
      'sharing without the right',
      'FLD-0072',
      () => limited,
      () => ({ id: at.limited! }),
      () => ({ permissions: [entry(limited, ALL), entry(guest, VIEWER)] }),
    ],
    [
      'more guests than are allowed',
      'QUOTA-0003',
      () => full,
      () => ({ id: full.folder }),
      () => ({ permissions: [entry(full, ALL), { type: 'guest', bits: VIEWER, email_address: 'guest@else.example' }] }),
    ],
    ['the default folder unsubscribed', 'FLD-1016', me, () => ({ id: owner.folder }), () => ({ subscribed: false })],
    ['folders below that stay subscribed', 'FLD-1017', me, () => ({ id: at.upper! }), () => ({ subscribed: false })],
  ],
  delete: [
    ...tree({}, () => []),
    ['a word for a time', 'FLD-0058', me, () => ({ timestamp: 'yesterday' }), () => []],
    ...(
      [
        ['no such folder', 'FLD-0008', me, '99986'],
        ['no id at all', 'FLD-1025', me, 'abc'],
        ['a folder that is not shared', 'FLD-0003', other, 'private'],
        ['a module the user must not use', 'FLD-0002', () => excluded, 'private'],
        ['a system folder', 'FLD-0090', me, '2'],
        ['the folder of another user', 'FLD-0030', other, 'shared'],
        ['a public folder of others', 'FLD-0010', other, 'public'],
        ['with a folder of another user below', 'FLD-0074', me, 'public'],
        ['with objects of others', 'FLD-0032', other, 'full'],
        ['with a document that another user keeps locked', 'FLD-0088', me, 'locked'],
      ] as [string, string, () => TestUser, string][]
    ).map(([what, code, who, id]): Refusal => [what, code, who, () => ({ failOnError: true }), () => [at[id] ?? id]]),
    ['the default folder', 'FLD-0031', me, () => ({ failOnError: true }), () => [owner.folder]],
    ['a change since', 'FLD-0009', me, () => ({ failOnError: true, timestamp: 1 }), () => [at.private]],
  ],
  clear: tree({}, () => []),
  restore: [
    ...tree({}, () => []),
    ...(
      [
        ['no such folder', 'FLD-0008', me, '99986'],
        ['no id at all', 'FLD-1025', me, 'abc'],
        ['a folder that is not shared', 'FLD-0003', other, 'private'],
        ['a module the user must not use', 'FLD-0002', () => excluded, 'private'],
        ['a folder that is in no trash', 'FLD-1013', me, 'private'],
        ['a system folder', 'FLD-1013', me, '1'],
      ] as [string, string, () => TestUser, string][]
    ).map(([what, code, who, id]): Refusal => [what, code, who, () => ({}), () => [at[id] ?? id]]),
  ],
  notify: [
    ...tree({ id: 1 }, () => ({ entities: [] })),
    ...naming('id', {}, () => ({ entities: [guest.userId] })),
    ['no administrator', 'FLD-0010', other, () => ({ id: at.shared! }), () => ({ entities: [owner.userId] })],
    ['a system folder', 'FLD-0010', me, () => ({ id: 2 }), () => ({ entities: [owner.userId] })],
    ['somebody who is no number', 'FLD-0044', me, () => ({ id: at.shared! }), () => ({ entities: ['ann'] })],
    [
      'a way to tell that is unknown',
      'FLD-0058',
      me,
      () => ({ id: at.shared! }),
      () => ({ entities: [guest.userId], notification: { transport: 'pigeon' } }),
    ],
  ],
  checklimits: [
    ...naming('id', { type: 'filestorage' }, () => ({ files: [] }), 'FILE_STORAGE-0029'),
    [
      'a kind that is too long',
      'FLD-0058',
      me,
      () => ({ id: at.private!, type: 'x'.repeat(65) }),
      () => ({ files: [] }),
    ],
    ['a kind that is unknown', 'UPL-LIM-4001', me, () => ({ id: at.private!, type: 'pigeons' }), () => ({ files: [] })],
    ['a system folder', 'FLD-0008', me, () => ({ id: 9, type: 'filestorage' }), () => ({ files: [] })],
  ],
};

const cases = Object.entries(REFUSALS).flatMap(([action, list]) =>
  list.map(([what, code, who, query, body]) => [action, what, code, { who, query, body }] as const),
);

/** Told beside a list that is not whole. */
const ONLY_WARNING = 'FLD-9001';

describe('folders: refusals', () => {
  it.each(cases)('%s refuses %s with %s', async (action, _what, code, { who, query, body }) => {
    const player = who();
    const operation = operationsOf(folders).find(({ name }) => name === action)!;
    const answer: Envelope = await player.call(operation.http, 'folders', operation.action!, query(), body?.());
    expect(answer).toMatchObject({ code, error: expect.any(String) });
    expect(answer.data ?? null).toBeNull();
    seen.set(action, (seen.get(action) ?? new Set()).add(code));
  });

  it('saw every error that the contract declares', () => {
    const declared = operationsOf(folders).flatMap(({ name, errors }) =>
      (errors ?? []).map(({ entry: row }) => `${name} ${row.code}`),
    );
    // Those of calendars and storages elsewhere need one: e2e/chronos/feeds, e2e/chronos/accounts and e2e/files/storage-folders.
    const ofTransfers = new Set(ofFolderTransfer.map(({ entry: row }) => `update ${row.code}`));
    // A link that ends between the list of permissions and its pin.
    const ofRaces = new Set(['update SHR-0003']);
    const ofFolders = declared.filter(
      (label) => !/ (CAL|ICAL-PROV|FILE_STORAGE)-/.test(label) && !ofTransfers.has(label) && !ofRaces.has(label),
    );
    expect(ofFolders.filter((label) => !seen.get(label.split(' ')[0]!)?.has(label.split(' ')[1]!))).toEqual([]);
  });

  it('has no folder error that nothing declares', () => {
    const declared = new Set(
      operationsOf(folders).flatMap(({ errors }) => (errors ?? []).map(({ entry: row }) => row.code)),
    );
    const unused = allErrors().filter(
      ({ code }) => code.startsWith('FLD-') && code !== ONLY_WARNING && !declared.has(code),
    );
    expect(unused.map(({ code }) => code)).toEqual([]);
  });

  it('leaves the folders as they were', async () => {
    expect((await read(owner, at.private!)).folder_id).toBe('1');
    expect((await read(owner, at.other!)).title).toBe('Taken');
    expect((await read(guest, at.foreign!)).folder_id).toBe(at.public);
    expect((await read(owner, owner.folder)).title).toBe('Calendar');
  });

  it('names of folders that are gone, of other folders and of other users are free', async () => {
    const first = await made(owner, { title: 'Free' });
    await remove(owner, [first]);
    const second = await made(owner, { title: 'Free' });
    expect((await update(owner, second, { title: 'FREE' })).data).toBe(second);
    await made(owner, { title: 'Free' }, second);
    await made(guest, { title: 'Free' });
  });
});
