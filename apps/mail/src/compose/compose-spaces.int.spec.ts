import type { UserPrincipal } from '@groupware/contracts';
import type { ModuleDatabase } from '@groupware/persistence';
import { testDatabase, type TestDatabase } from '@groupware/test-kit';
import { CreateComposeSpaces1764700000000 } from '../migrations/1764700000000-create-compose-spaces';
import { ComposePasswords } from './compose-passwords';
import { ComposeSpaces, lacksPassword } from './compose-spaces';
import { ComposeRepository } from './compose.repository';

const ann = { contextId: 11, userId: 2 } as UserPrincipal;
const ben = { contextId: 11, userId: 3 } as UserPrincipal;
let databases: TestDatabase;
let database: ModuleDatabase;
beforeAll(async () => {
  databases = await testDatabase({ mail: [CreateComposeSpaces1764700000000] });
  database = await databases.of('mail');
  spaces = spacesWith(1);
}, 60_000);
afterAll(() => databases?.close());

const spacesWith = (keyByte: number): ComposeSpaces => {
  const passwords = new ComposePasswords({ secretKeys: () => [Buffer.alloc(32, keyByte)] } as never);
  const unlimited = { get: () => Promise.resolve(0) };
  return new ComposeSpaces(database, new ComposeRepository(), passwords, unlimited as never, { now: () => 1 });
};
let spaces: ComposeSpaces;
const open = (user: UserPrincipal) =>
  spaces.openSpace(user, {}, { contentType: 'text/plain', meta: { type: 'NEW' }, fields: {} });
const readStored = (id: string) =>
  database.read(ann, (db) =>
    db.first<{ shared: string; security: string }>(
      'select shared, security from compose_space where context_id = $1 and id = $2::uuid',
      id,
    ),
  );
const write = (id: string, shared: string) =>
  database.transact(ann, (tx) =>
    tx.run('update compose_space set shared = $3 where context_id = $1 and id = $2::uuid', id, shared),
  );

describe('passwords of mails that are written', () => {
  const sharedAttachments = { enabled: true, language: null, autodelete: false, expiryDate: null, password: 'geheim' };
  const security = { encrypt: true, pin: 'verborgen' };

  it('are sealed in the database, and open for their user', async () => {
    const id = await open(ann);
    const changed = await spaces.updateSpace(ann, { id }, { sharedAttachments, security });
    expect(changed).toMatchObject({ sharedAttachments, security });
    const stored = await readStored(id);
    expect(stored!.shared + stored!.security).not.toMatch(/geheim|verborgen/);
    expect(await spaces.getSpace(ann, { id })).toMatchObject({ sharedAttachments, security });
    expect(await spaces.listSpaces(ann)).toMatchObject([{ sharedAttachments, security }]);
    expect(lacksPassword((await spaces.loadSpace(ann, { id })).space)).toBe(false);
  });

  it('count as lost without the key, and where they were sealed for another user', async () => {
    const id = await open(ann);
    await spaces.updateSpace(ann, { id }, { sharedAttachments });
    expect(lacksPassword((await spacesWith(2).loadSpace(ann, { id })).space)).toBe(true);
    const { shared } = (await readStored(id))!;
    const other = await open(ben);
    await write(other, shared);
    const { space } = await spaces.loadSpace(ben, { id: other });
    expect([lacksPassword(space), (await spaces.getSpace(ben, { id: other })).sharedAttachments]).toEqual([
      ...[true, { ...sharedAttachments, password: null }],
    ]);
  });

  it('are texts: others would be none, and what they protect would be open', async () => {
    const id = await open(ann);
    await spaces.updateSpace(ann, { id }, { sharedAttachments });
    for (const wrong of [{ sharedAttachments: { enabled: true, password: 123 } }, { security: { pin: {} } }])
      await expect(spaces.updateSpace(ann, { id }, wrong)).rejects.toMatchObject({ code: 'SVL-0031' });
    expect(await spaces.getSpace(ann, { id })).toMatchObject({ sharedAttachments });
  });

  it('are read where they were stored before they were sealed', async () => {
    const id = await open(ann);
    await write(id, JSON.stringify(sharedAttachments));
    expect(await spaces.getSpace(ann, { id })).toMatchObject({ sharedAttachments });
  });
});
