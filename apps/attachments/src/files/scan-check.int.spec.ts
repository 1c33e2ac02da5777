import { FolderStore } from '@groupware/file-store';
import { Clock } from '@groupware/service-kit';
import { testDatabase, type TestDatabase } from '@groupware/test-kit';
import type { ScanResult, VirusScanner } from '@groupware/virus-scan';
import { migrations } from '../attachments.parts';
import { ScanCheck } from './scan-check';

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
  check = new ScanCheck(await databases.of('attachments'), new Clock(), new FolderStore('/nowhere'), scanner);
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
