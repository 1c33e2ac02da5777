import type { CallOf, mailAccountAdministration } from '@groupware/contracts';
import type { ModuleDatabase } from '@groupware/persistence';
import { Secret, SecretKeySettings } from '@groupware/service-kit';
import { testDatabase, type TestDatabase } from '@groupware/test-kit';
import { migrations } from '../mail-account.parts';
import { PasswordVault } from '../credentials/password-vault';
import { AccountRepository } from '../persistence/account.repository';
import { ResealPasswordsHandler } from './reseal-passwords.handler';

const vaultOf = (...keys: number[]) =>
  new PasswordVault(
    Object.assign(new SecretKeySettings(), {
      secretKey: new Secret(keys.map((key) => Buffer.alloc(32, key).toString('base64')).join(',')),
    }),
  );
const granted = (password: string) => ({ password, servers: [{ host: 'mail.test', port: 993, encrypted: true }] });
const call = { signal: new AbortController().signal } as CallOf<typeof mailAccountAdministration.resealPasswords>;
const repository = new AccountRepository();
let databases: TestDatabase;
let database: ModuleDatabase;

beforeAll(async () => {
  databases = await testDatabase({ 'mail-account': migrations });
  database = await databases.of('mail-account');
}, 60_000);
afterAll(() => databases?.close());

it('a change of key: sealed again, in all contexts, with the newest key alone readable afterwards', async () => {
  const old = vaultOf(1);
  const places = [1, 2].flatMap((contextId) => [1, 2, 3].map((id) => ({ contextId, userId: 3, id })));
  for (const place of places)
    await database.transact(place, (tx) =>
      repository.insert(
        tx,
        3,
        {
          id: place.id,
          password: old.sealPassword(granted(`mail ${place.contextId} ${place.id}`), { ...place, side: 'mail' }),
          transport_password: place.id === 1 ? old.sealPassword(granted('out'), { ...place, side: 'transport' }) : null,
        },
        1,
      ),
    );
  // A value of another row, which must not open here.
  await database.transact({ contextId: 2 }, (tx) =>
    repository.upsert(tx, 3, 3, { password: old.sealPassword(granted('moved'), { ...places[0]!, side: 'mail' }) }, 1),
  );

  const both = new ResealPasswordsHandler(database, vaultOf(2, 1));
  expect(await both.handle(call)).toEqual({ checked: 8, resealed: 7, unreadable: 1 });
  expect(await both.handle(call)).toEqual({ checked: 8, resealed: 0, unreadable: 1 });

  const newer = vaultOf(2);
  for (const place of places.slice(0, -1)) {
    const row = await database.read(place, (db) => repository.findById(db, 3, place.id));
    expect(newer.unsealPassword(place, row!, 'mail')).toEqual(granted(`mail ${place.contextId} ${place.id}`));
    expect(old.unsealPassword(place, row!, 'mail')).toBeUndefined();
  }
});
