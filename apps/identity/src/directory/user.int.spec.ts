import { fieldsOf, provisioning, user, UserData, type Operation, type UserPrincipal } from '@groupware/contracts';
import { codeOf, startIdentity, type RunningIdentity } from '../testing/running-identity';

const PASSWORD = 'a good password';

describe('user', () => {
  let identity: RunningIdentity;
  let contextId: number;
  let principal: UserPrincipal;
  const ids: Record<string, number> = {};

  beforeAll(async () => {
    identity = await startIdentity();
    const context = await identity.call(provisioning.createContext, {
      body: { name: 'acme', admin: { name: 'zadmin', password: PASSWORD, surname: 'Zmin', email: 'z@acme.example' } },
    });
    contextId = context.id;
    const people = [
      { name: 'ann', givenName: 'Ann', surname: 'berg', timezone: 'Europe/Berlin', department: 'Sales' },
      { name: 'bob', givenName: 'Bob', surname: 'Carter', phones: { business: '+1 5' } },
      { name: 'cy', givenName: 'Cy', surname: '100%_x', displayName: 'Äpfel' },
    ];
    for (const person of people) {
      const made = await identity.call(provisioning.createUser, {
        query: { contextId },
        body: { ...person, password: PASSWORD, primaryEmail: `${person.name}@acme.example` },
      });
      ids[person.name] = made.id;
    }
    const session = (await identity.login('ann@acme', PASSWORD)).json.session;
    principal = (await identity.sessions.peek(session))!.principal;
  });
  afterAll(() => identity.close());

  const ask = (operation: Operation, query: object, body?: unknown, as: UserPrincipal = principal) =>
    identity.request(operation, { principal: as, query, body });
  const rows = async (operation: Operation, query: object, body?: unknown, as?: UserPrincipal) =>
    (await ask(operation, query, body, as)).json as unknown[][];

  it('lists everybody with the columns asked for, in their order', async () => {
    const answer = await ask(user.all, { columns: ['1', '502', '555', '613', '610', 'locale', '519', '104'] });
    expect(answer.json).toContainEqual([
      String(ids.ann),
      'berg',
      'ann@acme.example',
      [0, 1],
      ['ann@acme.example'],
      'en_US',
      'Sales',
      // The module that knows is away.
      null,
    ]);
    expect(answer.json).toHaveLength(4);
    expect(answer.timestamp).toBeGreaterThan(Date.now() - 60_000);
  });

  it('answers every column that the API has, empty ones as null', async () => {
    const columns = fieldsOf(UserData).map((field) => field.wireName);
    const [row] = await rows(user.list, { columns }, [String(ids.bob)]);
    expect(row).toHaveLength(columns.length);
    const value = (name: string) => row![columns.indexOf(name)];
    expect(value('telephone_business1')).toBe('+1 5');
    expect(value('birthday')).toBeNull();
    expect(value('folder_id')).toBe('6');
    expect(value('guest_created_by')).toBe(0);
  });

  it('shifts times by the zone of the reader, and leaves timestamps alone', async () => {
    const columns = { columns: ['4', '5', '6'] };
    const [[shifted, ...stamps]] = (await rows(user.list, columns, [null])) as [number[]];
    const elsewhere = { ...principal, timeZone: 'UTC' };
    const [[created, ...plain]] = (await rows(user.list, columns, [null], elsewhere)) as [number[]];
    expect([3_600_000, 7_200_000]).toContain(shifted! - created!);
    expect(stamps).toEqual(plain);
    expect(stamps[0]).toBe(stamps[1]);
  });

  it('shifts times by the zone of the request instead', async () => {
    const query = { columns: ['6', '5', '4'], timezone: 'UTC' };
    for (const [operation, body] of [
      [user.list, [null]],
      [user.all, undefined],
      [user.search, { display_name: 'Ann berg' }],
    ] as const) {
      const [[utc, changed, created] = []] = (await rows(operation, query, body)) as number[][];
      expect([changed, created! <= utc!]).toEqual([utc, true]);
      expect(await codeOf(ask(operation, { ...query, timezone: 'No/Where' }, body))).toBe('SVL-0010');
    }
    const { last_modified, last_modified_utc } = await identity.call(user.get, {
      principal,
      query: { timezone: 'UTC' },
    });
    expect(last_modified).toBe(last_modified_utc);
    expect(await codeOf(ask(user.get, { timezone: 'No/Where' }))).toBe('SVL-0010');
  });

  it('takes columns by name and by old spellings, and refuses unknown ones', async () => {
    expect(await rows(user.list, { columns: ['last_name', '102', 'martial_status'] }, [ids.ann])).toEqual([
      ['berg', 0, null],
    ]);
    for (const columns of [['4711'], ['password'], ['1; drop table x']])
      await expect(rows(user.all, { columns })).rejects.toMatchObject({ code: 'SVL-0010' });
  });

  it('sorts, case ignored, both ways and by the special order', async () => {
    const names = async (query: object) => (await rows(user.all, { columns: ['502'], ...query })).flat();
    expect(await names({ sort: '502', order: 'asc' })).toEqual(['100%_x', 'berg', 'Carter', 'Zmin']);
    expect(await names({ sort: 'last_name', order: 'desc' })).toEqual(['Zmin', 'Carter', 'berg', '100%_x']);
    expect(await names({ sort: '607', order: 'ASC' })).toEqual(['100%_x', 'berg', 'Carter', 'Zmin']);
    expect(await names({ sort: '502', order: 'asc', left_hand_limit: 1, right_hand_limit: 3 })).toEqual([
      'berg',
      'Carter',
    ]);
    expect(await names({ sort: '502', order: 'asc', limit: '2' })).toEqual(['100%_x', 'berg']);
    expect(await names({ sort: '502', order: 'asc', limit: '1,3' })).toEqual(['berg', 'Carter']);
    expect(await codeOf(names({ limit: 'x' }))).toBe('SVL-0010');
    expect(await codeOf(names({ left_hand_limit: 3, right_hand_limit: 1 }))).toBe('SVL-0010');
    expect(await codeOf(names({ sort: '610', order: 'asc' }))).toBe('SVL-0010');
    expect(await codeOf(names({ sort: '4711', order: 'asc' }))).toBe('SVL-0010');
    expect(await names({ sort: '502' })).toEqual(['100%_x', 'berg', 'Carter', 'Zmin']);
    expect(await codeOf(names({ order: 'asc' }))).toBe('SVL-0002');
  });

  it('lists by id in the order asked, null for oneself', async () => {
    expect(await rows(user.list, { columns: ['615'] }, [String(ids.cy), null, ids.bob])).toEqual([
      ['cy'],
      ['ann'],
      ['bob'],
    ]);
    expect(await rows(user.list, { columns: ['1'] }, [])).toEqual([]);
    expect(await codeOf(rows(user.list, { columns: ['1'] }, ['4711']))).toBe('USR-0010');
    expect(await codeOf(rows(user.list, { columns: ['1'] }, ['x']))).toBe('USR-0010');
    expect(await codeOf(rows(user.list, { columns: ['1'] }, [{}]))).toBe('SVL-0031');
  });

  it('reads one user without empty fields', async () => {
    const self = await identity.call(user.get, { principal });
    expect(self).toMatchObject({
      id: String(ids.ann),
      display_name: 'Ann berg',
      email1: 'ann@acme.example',
      timezone: 'Europe/Berlin',
      groups: [0, 1],
    });
    expect(self).not.toHaveProperty('birthday');
    expect((await identity.call(user.get, { principal, query: { id: String(ids.bob) } })).last_name).toBe('Carter');
    for (const id of ['4711', 'abc', '-1']) expect(await codeOf(ask(user.get, { id }))).toBe('USR-0010');
  });

  it.each([
    [{ pattern: 'ann*' }, ['ann']],
    [{ pattern: 'ann' }, []],
    [{ pattern: 'B', startletter: true }, ['ann']],
    [{ pattern: 'ann', startletter: true }, []],
    [{ pattern: '1', startletter: true }, ['cy']],
    [{ pattern: '#', startletter: true }, []],
    [{ pattern: 'all', startletter: true }, ['ann', 'bob', 'cy', 'zadmin']],
    [{ last_name: 'car', emailAutoComplete: true }, ['bob']],
    [{ last_name: 'car', first_name: 'cy', emailAutoComplete: true }, ['bob', 'cy']],
    [{ pattern: '*b*' }, ['ann', 'bob']],
    [{ last_name: '100%_?' }, ['cy']],
    [{ last_name: '1%' }, []],
    [{ first_name: 'B?b', last_name: 'x' }, []],
    [{ first_name: 'B?b', last_name: 'berg', orSearch: true }, ['ann', 'bob']],
    [{ email1: '*@ACME.example', emailAutoComplete: true }, ['ann', 'bob', 'cy', 'zadmin']],
    [{ display_name: 'äpfel' }, ['cy']],
    [{}, ['ann', 'bob', 'cy', 'zadmin']],
  ])('finds by %j', async (body, expected) => {
    const found = await rows(user.search, { columns: ['615'], sort: '615', order: 'asc' }, body);
    expect(found.flat()).toEqual(expected);
  });

  it('shows only names of others to people without the global address book', async () => {
    const narrow = { ...principal, capabilities: principal.capabilities.filter((id) => id !== 'gab') };
    const columns = ['615', '500', '555', '519', '612'];
    expect(await rows(user.list, { columns }, [ids.bob, ids.ann], narrow)).toEqual([
      [null, 'Bob Carter', null, null, null],
      ['ann', 'Ann berg', 'ann@acme.example', 'Sales', 'en_US'],
    ]);
  });

  it('sees nothing of other contexts', async () => {
    const other = await identity.call(provisioning.createContext, {
      body: { name: 'other', admin: { name: 'x', password: 'x', surname: 'X', email: 'x@other.example' } },
    });
    const stranger = { ...principal, contextId: other.id, userId: 2 };
    expect(await rows(user.all, { columns: ['615'] }, undefined, stranger)).toEqual([['x']]);
    expect(await codeOf(ask(user.get, { id: String(ids.bob) }, undefined, stranger))).toBe('USR-0010');
    expect(await rows(user.search, { columns: ['615'] }, { pattern: '*' }, stranger)).toEqual([['x']]);
  });
});
