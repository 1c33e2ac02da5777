import { FileErrors } from '@groupware/contracts';
import { Clock } from '@groupware/service-kit';
import { FileGatherer } from './file-gatherer';

const content = { reference: 'a'.repeat(32), sha256: 'b', sizeBytes: 3, sniffed: null };

it.each([
  ['still there', true, 1],
  ['detached meanwhile', false, 0],
])('a file that cannot be read and is %s', async (_what, isKept, unreadable) => {
  const contents = {
    updateStore: async () => undefined,
    listKeptOutside: async () => [content],
    isKept: async () => isKept,
  };
  const call = async (_tenant: unknown, work: (db: object) => unknown) => work({});
  const files = { copyContent: () => Promise.reject(FileErrors.failed('no such file')) };
  const gatherer = new FileGatherer(
    { transact: call, read: call } as never,
    contents as never,
    files as never,
    new Clock(),
    { log: { error: () => undefined } } as never,
  );
  expect(await gatherer.gatherFiles({ contextId: 1 }, 2, undefined)).toEqual({ files: 0, bytes: 0, unreadable });
});
