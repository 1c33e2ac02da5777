import { fileURLToPath } from 'node:url';
import { FolderStore } from './folder-store';
import type { FileStore } from './file-store';

/**
 * Opens the store of a URL: `file:///var/lib/groupware/files`, an absolute path, or
 * `s3://key:secret@bucket/prefix?region=…&endpoint=https://…&pathStyle=true&encryption=AES256|aws:kms&encryptionKey=…`,
 * where key and secret default to what the environment of the process gives. Throws for kinds that are not supported.
 */
export function fileStoreFor(url: string): FileStore {
  if (url.startsWith('/')) return new FolderStore(url);
  if (url.startsWith('file:')) return new FolderStore(fileURLToPath(url));
  if (url.startsWith('s3:')) return s3StoreFor(new URL(url));
  throw new Error(
    `the file store '${url.replace(/\/\/[^/]*@/, '//***@')}' is of an unknown kind; use file:///folder or s3://bucket`,
  );
}

function s3StoreFor({ hostname, pathname, username, password, searchParams }: URL): FileStore {
  // Loaded on demand: the library of S3 is large, and most installations have a folder.
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const { S3Store } = require('./s3-store') as typeof import('./s3-store');
  const prefix = decodeURIComponent(pathname).replace(/^\/+|(?<!\/)\/+$/g, '');
  const endpoint = searchParams.get('endpoint') ?? undefined;
  return new S3Store({
    bucket: hostname,
    prefix: prefix === '' ? '' : `${prefix}/`,
    region: searchParams.get('region') ?? 'us-east-1',
    endpoint,
    pathStyle: (searchParams.get('pathStyle') ?? String(endpoint !== undefined)) === 'true',
    ...(username
      ? {
          credentials: {
            accessKeyId: decodeURIComponent(username),
            secretAccessKey: decodeURIComponent(password),
          },
        }
      : {}),
    encryption: searchParams.get('encryption') ?? undefined,
    encryptionKey: searchParams.get('encryptionKey') ?? undefined,
  });
}
