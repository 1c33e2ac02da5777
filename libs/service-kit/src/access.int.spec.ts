import { randomBytes } from 'node:crypto';
import {
  allowCallers,
  defineModule,
  defineRights,
  Field,
  internal,
  readRight,
  recordCheck,
  requireRights,
  UNDECIDED,
  value,
  waiveCheck,
  writeRight,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { Bus, Caller } from '@groupware/messaging';
import { ModuleDatabase } from '@groupware/persistence';
import { testDatabase, type TestDatabase } from '@groupware/test-kit';
import { defineService, Handles, runServices, setLogDestination, type RunningServices } from './index';

const RIGHTS = defineRights('note', { read: readRight('a test says so'), write: writeRight('a test says so') });

class NoteQuery {
  @Field.text({ doc: 'how the handler deals with the right' }) check!: string;
}

const draft = { calledBy: 'everyService' as const, doc: 'a test', query: NoteQuery, reply: value<number>('notes') };
const notes = defineModule('access-test', {
  list: internal({ ...draft, access: requireRights(RIGHTS.read) }),
  new: internal({ ...draft, access: requireRights(RIGHTS.write) }),
  count: internal({ ...draft, access: allowCallers('tells a number') }),
  undecided: internal({ ...draft, access: UNDECIDED }),
});

const count = (database: ModuleDatabase, principal: { contextId: number }): Promise<number> =>
  database.read(principal, async (db) => (await db.rows('select text from note where context_id = $1')).length);

function settle({ check }: NoteQuery, right: typeof RIGHTS.read): void {
  if (check === 'asks') recordCheck(right);
  if (check === 'waives') waiveCheck(right, 'a test reaches nothing');
  if (check === 'asks for another') recordCheck(right === RIGHTS.read ? RIGHTS.write : RIGHTS.read);
}

@Handles(notes.list)
class ListHandler implements Handler<typeof notes.list> {
  constructor(private readonly database: ModuleDatabase) {}

  handle({ principal, query }: CallOf<typeof notes.list>): Promise<number> {
    settle(query, RIGHTS.read);
    return count(this.database, principal);
  }
}

@Handles(notes.new)
class NewHandler implements Handler<typeof notes.new> {
  constructor(private readonly database: ModuleDatabase) {}

  async handle({ principal, query }: CallOf<typeof notes.new>): Promise<number> {
    const stored = await this.database.transact(principal, (tx) => {
      if (query.check !== 'asks too late') settle(query, RIGHTS.write);
      return tx.run('insert into note (context_id, text) values ($1, $2)', query.check);
    });
    recordCheck(RIGHTS.write);
    return stored;
  }
}

@Handles(notes.count)
class CountHandler implements Handler<typeof notes.count> {
  constructor(private readonly database: ModuleDatabase) {}

  handle({ principal }: CallOf<typeof notes.count>): Promise<number> {
    return count(this.database, principal);
  }
}

@Handles(notes.undecided)
class UndecidedHandler implements Handler<typeof notes.undecided> {
  async handle({ query }: CallOf<typeof notes.undecided>): Promise<number> {
    settle(query, RIGHTS.read);
    return 0;
  }
}

class CreateNotes1763700000000 {
  async up(db: { query(sql: string): Promise<unknown> }) {
    await db.query('create table note (context_id int not null, text text not null)');
  }
  async down(db: { query(sql: string): Promise<unknown> }) {
    await db.query('drop table note');
  }
}

const principal = { kind: 'internal' as const, service: 'spec', contextId: 4 };
const prefix = `access_${randomBytes(6).toString('hex')}`;
const lines: string[] = [];
let test: TestDatabase;
let running: RunningServices;
let bus: Bus;
let caller: Caller;

beforeAll(async () => {
  test = await testDatabase({});
  setLogDestination({ write: (line) => void lines.push(line) });
  const service = defineService({
    name: 'access-test',
    contracts: [notes],
    directory: `${__dirname}/none`,
    handlers: [ListHandler, NewHandler, CountHandler, UndecidedHandler],
    migrations: [CreateNotes1763700000000],
  });
  running = await runServices([service], {
    DATABASE_URL: test.url,
    NATS_URL: process.env.NATS_URL!,
    GROUPWARE_BUS_PREFIX: prefix,
    GROUPWARE_LOG_LEVEL: 'error',
    GROUPWARE_TEST: 'true',
    PORT: '0',
    INTERNAL_PORT: '0',
  });
  bus = await Bus.connect({ url: process.env.NATS_URL!, prefix });
  caller = new Caller(bus);
}, 60_000);
afterAll(async () => {
  await running?.close();
  await bus?.close();
  await test?.close();
});

const list = (check: string) => caller.call(notes.list, { principal, query: { check } });
const write = (check: string) => caller.call(notes.new, { principal, query: { check } });
const stored = () => caller.call(notes.count, { principal, query: { check: 'none' } });
const UNEXPECTED = { code: 'SVL-0011' };

describe('the access that an operation declares', () => {
  it('lets out what its handler checked, or had nothing to check for', async () => {
    expect(await list('asks')).toBe(0);
    expect(await list('waives')).toBe(0);
  });

  it('refuses the reply of a handler that never checked it, and says so in the log', async () => {
    await expect(list('forgets')).rejects.toMatchObject(UNEXPECTED);
    await expect(list('asks for another')).rejects.toMatchObject(UNEXPECTED);
    expect(lines.join('')).toContain('svc.access-test.list never checked note.read');
  });

  it('lets nothing be committed before a right to write was checked', async () => {
    const before = await stored();
    await expect(write('asks too late')).rejects.toMatchObject(UNEXPECTED);
    await expect(write('asks for another')).rejects.toMatchObject(UNEXPECTED);
    expect(await stored()).toBe(before);
    expect(await write('asks')).toBe(1);
    expect(await stored()).toBe(before + 1);
  });

  it('is no access while nobody has decided it', async () => {
    await expect(caller.call(notes.undecided, { principal, query: { check: 'asks' } })).rejects.toMatchObject(
      UNEXPECTED,
    );
  });

  it('keeps the calls of different callers apart', async () => {
    const answers = await Promise.allSettled(['asks', 'forgets', 'asks', 'forgets'].map(list));
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected']);
  });
});
