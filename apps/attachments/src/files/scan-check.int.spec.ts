import { FolderStore } from '@groupware/file-store';
import { Clock } from '@groupware/service-kit';
import { testDatabase, type TestDatabase } from '@groupware/test-kit';
import { ScanCheck } from '@groupware/stored-files';
import type { ScanResult, VirusScanner } from '@groupware/virus-scan';
import { migrations } from '../attachments.parts';
import { ExpiredFiles } from '../managed/expired-files';
import { ManagedFileRepository } from '../managed/managed-file.repository';
import { AttachmentFileUses } from './attachment-file-uses';

const TENANT = { contextId: 1 };
const FILE = { name: 'a', reference: 'a'.repeat(32), sha256: 'b'.repeat(64), sizeBytes: 3 };
let databases: TestDatabase;
let check: ScanCheck;
let signatures: string;
let result: ScanResult;
let scans: number;

const scanner = {
  maxBytes: 100,
  signatures: async () => signatures,
  scan: async () => {
    scans++;
    return result;
  },
} as unknown as VirusScanner;

beforeAll(async () => {
  databases = await testDatabase({ attachments: migrations });
  const database = await databases.of('attachments');
  const store = new FolderStore('/nowhere');
  const uses = new AttachmentFileUses(database, new ExpiredFiles(database, new ManagedFileRepository(), store));
  check = new ScanCheck(database, new Clock(), store, scanner, uses);
}, 60_000);
afterAll(() => databases?.close());

it('scans a content once for each version of the signatures, whatever came out', async () => {
  [signatures, result, scans] = ['1', { verdict: 'clean' }, 0];
  await check.requireClean(TENANT, FILE);
  await check.requireClean(TENANT, { ...FILE, name: 'the same under another name', reference: 'c'.repeat(32) });
  expect(scans).toBe(1);
  [signatures, result] = ['2', { verdict: 'infected', virus: 'New.Virus' }];
  for (let round = 0; round < 2; round++)
    await expect(check.requireClean(TENANT, FILE)).rejects.toMatchObject({
      code: 'ANTIVIRUS-0001',
      params: ['a', 'New.Virus'],
    });
  expect(scans).toBe(2);
  // Other contents, and the same content in another context, are other questions.
  result = { verdict: 'clean' };
  await check.requireClean(TENANT, { ...FILE, sha256: 'd'.repeat(64) });
  await check.requireClean({ contextId: 2 }, FILE);
  expect(scans).toBe(4);
  await expect(check.requireClean(TENANT, { ...FILE, sizeBytes: 101 })).rejects.toMatchObject({
    code: 'ANTIVIRUS-0003',
  });
  expect(scans).toBe(4);
});
