import { createContext, PASSWORD } from '../fixtures';
import { AdminClient, Client } from '../client';
import type { TestEnvironment } from '../test-environment';

/** The modules that tests of operators' operations need: a small world starts quickly. */
export const ADMIN_MODULES = ['identity', 'admin', 'gateway'];

/** A user of such a world, logged in. */
export interface Person extends Client {
  readonly loginName: string;
  readonly name: string;
}

/** The two kinds of callers of the administrative API. */
export const callersOf = (world: TestEnvironment) => ({
  master: new AdminClient(world.internalUrl, world.master.login, world.master.password),
  services: new AdminClient(world.internalUrl, world.service.login, world.service.password),
});

/** Creates a context, with more of its fields where wanted. */
export async function newContext(master: AdminClient, changes: Record<string, unknown> = {}): Promise<number> {
  const id = await createContext(master, 'operators');
  if (Object.keys(changes).length === 0) return id;
  const { headers } = await master.request('GET', `/admin/v1/contexts/${id}`);
  const { status, body } = await master.request('PATCH', `/admin/v1/contexts/${id}`, changes, {
    'if-match': headers.get('etag') ?? '*',
  });
  if (status >= 300) throw new Error(JSON.stringify(body));
  return id;
}

/** Creates a user and logs in. */
export async function newPerson(
  world: TestEnvironment,
  master: AdminClient,
  contextId: number,
  name: string,
  fields: Record<string, unknown> = {},
): Promise<Person> {
  await master.expect('POST', `/admin/v1/contexts/${contextId}/users`, {
    name,
    password: PASSWORD,
    displayName: `${name} of ${contextId}`,
    givenName: name,
    surname: 'Person',
    primaryEmail: `${name}@c${contextId}.example`,
    timezone: 'UTC',
    locale: 'en_US',
    ...fields,
  });
  const client = new Client(world.publicUrl);
  const loginName = `${name}@${contextId}`;
  const answer = await client.login(loginName, PASSWORD);
  if (!client.session) throw new Error(`login of ${loginName}: ${JSON.stringify(answer)}`);
  return Object.assign(client, { loginName, name });
}
