import path from 'node:path';
import {
  fileStoreFor,
  FileStores,
  FileStoreSettings,
  FolderStore,
  STORE_CREDENTIALS,
  storeIdOf,
  storeOwner,
  type FileStore,
  type StorePlaces,
} from '@groupware/file-store';
import { withClient } from '@groupware/persistence';
import { loadSettings, ProcessSettings, SecretKeySettings } from '@groupware/service-kit';
import { SealedText } from '@groupware/sessions';
import { InstallationSchemas } from './installation-schemas';

const CONNECTION = { application_name: 'groupware check of files' };
/** Files looked for at the same time, and rows read at once. */
const PARALLEL = 16;
const PAGE = 1_000;
/** So many problems are named; all are counted. */
const NAMED = 100;

/** A file that rows name, and that is not as they say. */
export interface FileProblem {
  readonly contextId: number;
  readonly reference: string;
  /** The store that should have it; 1 is the one of FILESTORE_URL. */
  readonly storeId: number;
  readonly problem: string;
}

/** Result of a check of all files. */
export interface FileReport {
  readonly files: number;
  readonly bytes: number;
  /** Files that are missing or have another size. */
  readonly wrong: number;
  /** The first of them. */
  readonly problems: readonly FileProblem[];
}

/**
 * Looks in the file stores for every file that rows of attachments name. Files without a row are no problem: the sweep of the
 * service removes them.
 */
export async function checkFiles(environment: Readonly<Record<string, string | undefined>>): Promise<FileReport> {
  const shards = await InstallationSchemas.fromEnvironment(environment, () => undefined).shards();
  const stores = await storesOf(environment, shards[0]!.url);
  const report = { files: 0, bytes: 0, wrong: 0, problems: [] as FileProblem[] };
  for (const { url } of shards)
    await withClient(url, CONNECTION, async (client) => {
      for (let after: readonly [number, string] = [0, '']; ;) {
        const { rows } = await client.query<{ contextId: number; reference: string; size: string }>(
          `select context_id as "contextId", reference, size_bytes as size from attachments.stored_file
           where state = 'kept' and (context_id, reference) > ($1, $2) order by context_id, reference limit ${PAGE}`,
          [...after],
        );
        for (let start = 0; start < rows.length; start += PARALLEL)
          await Promise.all(
            rows.slice(start, start + PARALLEL).map(async ({ contextId, reference, size }) => {
              report.files += 1;
              report.bytes += Number(size);
              const problem = await problemOf(stores, reference, Number(size));
              if (problem === undefined) return;
              report.wrong += 1;
              if (report.problems.length < NAMED)
                report.problems.push({ contextId, reference, storeId: storeIdOf(reference), problem });
            }),
          );
        if (rows.length < PAGE) return;
        after = [rows.at(-1)!.contextId, rows.at(-1)!.reference];
      }
    });
  return report;
}

async function problemOf(stores: FileStores, reference: string, size: number): Promise<string | undefined> {
  const found = await stores.size(reference);
  if (found === undefined) return 'is missing';
  return found === size ? undefined : `has ${found} bytes instead of ${size}`;
}

/** The store of the settings, and the registered ones as the database of the default shard names them. */
async function storesOf(
  environment: Readonly<Record<string, string | undefined>>,
  databaseUrl: string,
): Promise<FileStores> {
  const { instances } = loadSettings([ProcessSettings, FileStoreSettings, SecretKeySettings], environment);
  const { dataDir } = instances.get(ProcessSettings) as ProcessSettings;
  const own = (instances.get(FileStoreSettings) as FileStoreSettings).fileStoreUrl.reveal();
  const keys = (instances.get(SecretKeySettings) as SecretKeySettings).secretKeys();
  const sealed = new SealedText(keys, STORE_CREDENTIALS);
  const registered = new Map<number, FileStore>();
  await withClient(databaseUrl, CONNECTION, async (client) => {
    const { rows } = await client.query<{ id: number; uri: string; credentials: string | null }>(
      `select filestore_id as id, uri, credentials from identity.filestore where uri <> ''`,
    );
    for (const { id, uri, credentials } of rows) {
      const login = credentials === null ? undefined : sealed.open(credentials, storeOwner(id));
      if (credentials !== null && login === undefined)
        throw new Error(`no key of GROUPWARE_SECRET_KEY opens the credentials of the file store ${id}`);
      registered.set(id, fileStoreFor(login === undefined ? uri : uri.replace('://', `://${login}@`)));
    }
  });
  return new FileStores(own ? fileStoreFor(own) : new FolderStore(path.resolve(dataDir, 'files')), {
    open: (id) => {
      const store = registered.get(id);
      return store ? Promise.resolve(store) : Promise.reject(new Error(`there is no file store ${id}`));
    },
    others: () => Promise.resolve([...registered.keys()]),
    storeOf: () => Promise.reject(new Error('nothing is written here')),
  } satisfies StorePlaces);
}
