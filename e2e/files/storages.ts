import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { startDavServer, type DavServer } from './dav-server';
import { createFileFixtures, type FileFixtures } from './files';

/** Service of WebDAV servers. */
export const WEBDAV = 'com.example.file.storage.webdav';

/** People with files, and a WebDAV server. */
export interface StorageFixtures {
  readonly world: TestEnvironment;
  readonly cast: FileFixtures;
  readonly dav: DavServer;
  close(): Promise<void>;
}

/** Starts an environment in which users may have accounts of a WebDAV server on loopback. */
export async function startStorageFixtures(
  properties: Readonly<Record<string, string>> = {},
  variables: Readonly<Record<string, string>> = {},
): Promise<StorageFixtures> {
  const dav = await startDavServer();
  const world = await startTestEnvironment({
    variables: {
      GROUPWARE_OUTBOUND_ALLOW: '127.0.0.1',
      GROUPWARE_OUTBOUND_WEB_PORTS: '1024-65535',
      GROUPWARE_OUTBOUND_FAILURE_STEP_MS: '0',
      ...variables,
    },
    properties: {
      'com.example.file.storage.webdav.enabled': 'true',
      'com.example.file.storage.webdav.allowPlain': 'true',
      ...properties,
    },
  });
  const close = async (): Promise<void> => {
    await world.close();
    await dav.close();
  };
  return { world, cast: await createFileFixtures(world), dav, close };
}

/** Makes an account of the server for U1; its id. */
export async function createAccount({ cast, dav }: StorageFixtures, displayName = 'Elsewhere'): Promise<string> {
  const configuration = { url: dav.url, login: dav.login, password: dav.password };
  const body = { filestorageService: WEBDAV, displayName, configuration };
  const answer = await cast.U1.put<string>('fileaccount', 'new', {}, body);
  if (typeof answer.data !== 'string') throw new Error(JSON.stringify(answer));
  return answer.data;
}

/** The id of a folder of an account; the path without slash at its ends. */
export const folderOf = (account: string, path = ''): string => `${WEBDAV}://${account}/${encodeURIComponent(path)}`;
