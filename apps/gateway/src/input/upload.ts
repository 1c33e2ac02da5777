import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { CatalogueError, isCatalogueError, RequestErrors, UploadErrors, type UploadedFile } from '@groupware/contracts';
import type { FileBytes } from '../edge/ports';
import { announcedSize, hasBody } from './body-reader';

/** Limits of one upload; all sizes in bytes. */
export interface UploadLimits {
  readonly maxBytes: number;
  /** Name of the setting behind `maxBytes`, for the client that meets it. */
  readonly limitName?: string;
  readonly maxFiles: number;
  readonly maxFields: number;
  readonly maxFieldBytes: number;
  /** Counts bytes before they are stored; what it throws ends the upload. */
  readonly count?: (bytes: number) => Promise<void>;
  /** Context whose store takes the files; absent: that of the process. */
  readonly contextId?: number;
  /** The files come with their MD5. */
  readonly hashesMd5?: boolean;
}

/** An upload after its files reached the file store. */
export interface ReceivedUpload {
  readonly fields: Record<string, string>;
  readonly files: readonly UploadedFile[];
}

/** True for form uploads: only those are answered by the callback page. */
export const isMultipart = (request: IncomingMessage): boolean =>
  /^multipart\/form-data\b/i.test(request.headers['content-type'] ?? '');

/** True for a form without files. */
export const isForm = (request: IncomingMessage): boolean =>
  /^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? '');

// Control characters in a name would reach headers and logs; path parts are what some browsers send.
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f]/g;

function cleanName(name: string | undefined): string {
  const base = (name ?? '').replace(CONTROL, '').split(/[\\/]/).pop()!.trim();
  return base.length > 255 ? base.slice(-255) : base;
}

const MEDIA_TYPE = /^[\w!#$&^.+-]{1,64}\/[\w!#$&^.+-]{1,64}(\s*;.{0,200})?$/;
const cleanType = (type: string | undefined): string =>
  type && MEDIA_TYPE.test(type) ? type.replace(CONTROL, '') : 'application/octet-stream';

/** Passes bytes on and fails when there are more than allowed. */
async function* limitBytes(
  bytes: AsyncIterable<Uint8Array>,
  { maxBytes, count }: Pick<UploadLimits, 'maxBytes' | 'count'>,
): AsyncIterable<Uint8Array> {
  let size = 0;
  for await (const part of bytes) {
    size += part.length;
    if (size > maxBytes) throw UploadErrors.tooLarge(size, maxBytes);
    await count?.(part.length);
    yield part;
  }
}

/** Removes stored files that no service will claim. Failures are left to the store's sweep of old temporaries. */
export async function removeFiles(store: FileBytes, files: readonly { reference: string }[]): Promise<void> {
  await Promise.allSettled(files.map((file) => store.discard(file.reference)));
}

/**
 * Streams an upload into the file store. Nothing stays in the store when it fails or the client goes away.
 * A body that is no form counts as one file named `file`.
 * @throws UPL-0005 too large, UPL-0004 no upload, UPL-0013 connection closed, UPL-0001 broken multipart
 */
export async function receiveUpload(
  request: IncomingMessage,
  store: FileBytes,
  limits: UploadLimits,
): Promise<ReceivedUpload> {
  try {
    return await receive(request, store, limits);
  } catch (error) {
    const tooLarge = isCatalogueError(error, UploadErrors.tooLarge);
    throw tooLarge && limits.limitName && !error.details.problematic
      ? error.with({ problematic: [{ name: limits.limitName, kind: 'limit', reason: `at most ${error.params[1]}` }] })
      : error;
  }
}

async function receive(request: IncomingMessage, store: FileBytes, limits: UploadLimits): Promise<ReceivedUpload> {
  const announced = announcedSize(request);
  if (announced !== undefined && announced > limits.maxBytes) throw UploadErrors.tooLarge(announced, limits.maxBytes);
  if (isMultipart(request)) return receiveForm(request, store, limits);
  if (!hasBody(request)) return { fields: {}, files: [] };
  const type = request.headers['content-type'];
  if (type && /^(application\/x-www-form-urlencoded|multipart\/)/i.test(type)) throw UploadErrors.notMultipart();
  return { fields: {}, files: await receiveWhole(request, store, limits) };
}

/**
 * Streams a body as it is into the file store, as one file.
 * @throws SVL-0028 nothing was sent, UPL-0005 too large, UPL-0013 connection closed
 */
export async function receiveWhole(
  request: IncomingMessage,
  store: FileBytes,
  limits: StoreLimits,
): Promise<readonly UploadedFile[]> {
  const { maxBytes } = limits;
  const announced = announcedSize(request);
  if (announced !== undefined && announced > maxBytes) throw UploadErrors.tooLarge(announced, maxBytes);
  if (!hasBody(request)) throw RequestErrors.wrongBodyType('a JSON object', 'nothing');
  try {
    // A request that its iterator ends could not be read to its end, and its connection not be used again.
    const bytes = request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
    const stored = await store.write(limitBytes(bytes, limits), optionsOf(limits));
    return [{ field: 'file', name: '', contentType: cleanType(request.headers['content-type']), ...pick(stored) }];
  } catch (error) {
    throw request.destroyed && !(error instanceof CatalogueError) ? UploadErrors.closed() : error;
  }
}

type StoreLimits = Pick<UploadLimits, 'maxBytes' | 'contextId' | 'count' | 'hashesMd5'>;
const optionsOf = ({ maxBytes, contextId, hashesMd5 }: StoreLimits): Omit<StoreLimits, 'count'> => ({
  maxBytes,
  ...(contextId !== undefined && { contextId }),
  ...(hashesMd5 && { hashesMd5 }),
});

type Stored = Pick<UploadedFile, 'reference' | 'sizeBytes' | 'sha256' | 'md5'>;
const pick = ({ reference, sizeBytes, sha256, md5 }: Stored): Stored => ({
  reference,
  sizeBytes,
  sha256,
  ...(md5 !== undefined && { md5 }),
});

function openParser(request: IncomingMessage, limits: UploadLimits): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...request.headers, 'content-type': request.headers['content-type']! },
      limits: {
        fieldNameSize: 100,
        fieldSize: limits.maxFieldBytes,
        fields: limits.maxFields,
        fileSize: limits.maxBytes,
        files: limits.maxFiles,
        parts: limits.maxFiles + limits.maxFields,
        headerPairs: 50,
      },
    });
  } catch (cause) {
    throw UploadErrors.notMultipart().with({ cause });
  }
}

function receiveForm(request: IncomingMessage, store: FileBytes, limits: UploadLimits): Promise<ReceivedUpload> {
  const parser = openParser(request, limits);
  const fields: Record<string, string> = Object.create(null) as Record<string, string>;
  const writes: Promise<UploadedFile>[] = [];
  const open = new Set<BusboyFileStream>();
  // A refused body stays readable: the answer reads the rest, so that the client gets the error.
  const body = Readable.from(limitBytes(request.iterator({ destroyOnReturn: false }), limits), { objectMode: false });

  return new Promise((resolve, reject) => {
    let failed = false;
    const fail = (error: Error): void => {
      if (failed) return;
      failed = true;
      body.unpipe(parser);
      body.destroy();
      parser.removeAllListeners();
      parser.on('error', () => undefined);
      for (const stream of open) stream.destroy(error);
      void Promise.allSettled(writes).then(async (results) => {
        await removeFiles(
          store,
          results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])),
        );
        reject(error);
      });
    };
    parser.on('file', (field, stream, fileName, _encoding, type) => {
      open.add(stream);
      // The parser cuts a file at its limit without an error: that must not pass for the whole file.
      stream.on('limit', () => fail(UploadErrors.tooLarge(`> ${limits.maxBytes}`, limits.maxBytes)));
      stream.on('close', () => open.delete(stream));
      stream.on('error', () => undefined);
      const write = store.write(stream, optionsOf(limits)).then((stored): UploadedFile => {
        open.delete(stream);
        return { field, name: cleanName(fileName), contentType: cleanType(type), ...pick(stored) };
      });
      writes.push(write);
      write.catch((error: Error) => fail(error));
    });
    parser.on('field', (name, value, nameCut, valueCut) => {
      if (valueCut || nameCut)
        fail(UploadErrors.tooLarge(`field '${name}' > ${limits.maxFieldBytes}`, limits.maxFieldBytes));
      fields[name] = value;
    });
    parser.on('filesLimit', () =>
      fail(RequestErrors.badBodyData(`more than ${limits.maxFiles} files (GATEWAY_MAX_UPLOAD_FILES)`)),
    );
    parser.on('fieldsLimit', () =>
      fail(RequestErrors.badBodyData(`more than ${limits.maxFields} form fields (GATEWAY_MAX_UPLOAD_FIELDS)`)),
    );
    parser.on('partsLimit', () => fail(RequestErrors.badBodyData('too many parts')));
    parser.on('error', (cause) => fail(UploadErrors.failed('broken multipart data').with({ cause })));
    parser.on('finish', () => {
      Promise.all(writes).then(
        (files) => (failed ? undefined : resolve({ fields, files })),
        (error: Error) => fail(error),
      );
    });
    const closed = (): void => {
      if (!request.complete) fail(UploadErrors.closed());
    };
    request.on('aborted', closed).on('error', closed).on('close', closed);
    // Failures of the connection arrive here.
    body.on('error', (error) => (error instanceof CatalogueError ? fail(error) : closed()));
    body.pipe(parser);
  });
}
