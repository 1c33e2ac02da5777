import type { PeerCertificate } from '@groupware/outbound';
import type { ModuleDatabase } from '@groupware/persistence';
import { expectTenantIsolation, testDatabase, type TestDatabase } from '@groupware/test-kit';
import { migrations } from '../mail-account.parts';
import { CertificateRepository } from './certificate.repository';

const repository = new CertificateRepository();
let databases: TestDatabase;
let database: ModuleDatabase;

beforeAll(async () => {
  databases = await testDatabase({ 'mail-account': migrations });
  database = await databases.of('mail-account');
}, 60_000);
afterAll(() => databases?.close());

const shown = (fingerprint: string, commonName = 'mail.test'): PeerCertificate => ({
  fingerprint,
  issuedOn: 1,
  expiresOn: 2,
  commonName,
  issuedBy: 'authority',
  serialNumber: '01',
  signature: 'ec prime256v1',
  failureReason: 'CERT_HAS_EXPIRED',
});
const trust = { hostname: 'mail.test', trusted: true };

describe('rows of certificates', () => {
  it('belong to their tenant', async () => {
    await expectTenantIsolation({
      database,
      fill: (tx, { contextId }) => repository.recordShown(tx, 3, 'mail.test', shown('A', `name of ${contextId}`), 1),
      secrets: ({ contextId }) => [`name of ${contextId}`],
      methods: {
        ofUser: (tx) => repository.listByUser(tx, 3),
        show: (tx) => repository.recordShown(tx, 3, 'mail.test', shown('A', 'other'), 2),
        decide: (tx) => repository.upsertDecision(tx, 3, { fingerprint: 'A', ...trust }, 2),
        remove: (tx) => repository.delete(tx, 3),
        removeContext: (tx) => repository.deleteByContext(tx),
      },
    });
  });

  it('are kept when they are shown again, and bounded in number, those decided about last', async () => {
    const tenant = { contextId: 7 };
    await database.transact(tenant, async (tx) => {
      await repository.upsertDecision(tx, 3, { fingerprint: 'mine', ...trust }, 0);
      for (let index = 1; index <= 210; index++)
        await repository.recordShown(tx, 3, 'mail.test', shown(`F${index}`), index);
      await repository.recordShown(tx, 3, 'mail.test', shown('mine'), 0);
    });
    const rows = await database.read(tenant, (db) => repository.listByUser(db, 3));
    expect(rows).toHaveLength(200);
    expect(rows[0]).toEqual({ fingerprint: 'F210', hostname: 'mail.test', trusted: null, details: shown('F210') });
    expect(rows.at(-1)).toEqual({ fingerprint: 'mine', hostname: 'mail.test', trusted: true, details: shown('mine') });
  });
});
