import { AdminClient, Client } from './client';
import type { TestEnvironment } from './test-environment';

/** A user of the cast, logged in. */
export interface TestUser extends Client {
  /** Id of the default calendar folder. */
  folder: string;
  email: string;
  loginName: string;
}

/** The people of the conformance scenarios: U1 to U3 and UB in context C1, X1 in context C2, ROOM in C1. */
export interface Fixtures {
  contextId: number;
  otherContextId: number;
  U1: TestUser;
  U2: TestUser;
  U3: TestUser;
  UB: TestUser;
  X1: TestUser;
  room: number;
  /** Group of U1 and U2. */
  team: number;
  admin: AdminClient;
}

export const PASSWORD = 'correct horse 1';
let contexts = 100;

/** Creates a context with an administrator; returns its id. */
export async function createContext(admin: AdminClient, name: string, parts: object = {}): Promise<number> {
  contexts += 1;
  const id = contexts + Math.floor(Math.random() * 1_000_000) * 1000;
  const created = await admin.expect('POST', '/admin/v1/contexts', {
    id,
    name: `${name}-${id}`,
    ...parts,
    admin: {
      name: 'admin',
      password: PASSWORD,
      displayName: `Admin of ${name}`,
      givenName: 'Ad',
      surname: 'Min',
      email: `admin@${name}-${id}.example`,
      timezone: 'UTC',
    },
  });
  return created.id as number;
}

/** Creates a user and logs in. */
export async function createTestUser(
  world: Pick<TestEnvironment, 'publicUrl'>,
  admin: AdminClient,
  contextId: number,
  name: string,
  timezone = 'UTC',
  locale = 'en_US',
): Promise<TestUser> {
  const email = `${name}@c${contextId}.example`;
  await admin.expect('POST', `/admin/v1/contexts/${contextId}/users`, {
    name,
    password: PASSWORD,
    displayName: `${name} of ${contextId}`,
    givenName: name,
    surname: 'Player',
    primaryEmail: email,
    timezone,
    locale,
  });
  const client = new Client(world.publicUrl) as TestUser;
  const loginName = `${name}@${contextId}`;
  const answer = await client.login(loginName, PASSWORD);
  if (!client.session) throw new Error(`login of ${loginName}: ${JSON.stringify(answer)}`);
  const folders = await client.get<{ private: unknown[][] }>('folders', 'allVisible', {
    content_type: 'calendar',
    columns: '1,308',
  });
  const folder = folders.data?.private?.find((row) => row[1] === true)?.[0];
  if (!folder) throw new Error(`no default calendar folder: ${JSON.stringify(folders)}`);
  return Object.assign(client, { folder: String(folder), email, loginName });
}

/** The whole cast, in contexts of their own. */
export async function createFixtures(world: TestEnvironment): Promise<Fixtures> {
  const admin = new AdminClient(world.internalUrl, world.master.login, world.master.password);
  const [contextId, otherContextId] = await Promise.all([createContext(admin, 'one'), createContext(admin, 'two')]);
  const [U1, U2, U3, UB, X1] = await Promise.all([
    createTestUser(world, admin, contextId, 'u1'),
    createTestUser(world, admin, contextId, 'u2'),
    createTestUser(world, admin, contextId, 'u3'),
    createTestUser(world, admin, contextId, 'ub', 'Europe/Berlin'),
    createTestUser(world, admin, otherContextId, 'x1'),
  ]);
  const room = await admin.expect('POST', `/admin/v1/contexts/${contextId}/resources`, {
    name: 'room',
    displayName: 'Room',
    email: `room@c${contextId}.example`,
    type: 'ROOM',
  });
  const team = await admin.expect('POST', `/admin/v1/contexts/${contextId}/groups`, {
    name: 'team',
    displayName: 'Team',
    members: [U1.userId, U2.userId],
  });
  return { contextId, otherContextId, U1, U2, U3, UB, X1, room: room.id, team: team.id, admin };
}
