import { type CatalogueError, FileLimitErrors, FileStorageErrors, InfostoreErrors } from '@groupware/contracts';
import type { ByteRange } from '@groupware/file-store';
import {
  CertificateFailure,
  OutboundFailure,
  type StreamAnswer,
  type StreamRequest,
  type WebClient,
  type WebMethod,
} from '@groupware/outbound';
import { isPathName, joinPath } from '../storage-id';
import type { StorageBytes, StorageConnection, StorageEntry, StorageRequest, StorageUpload } from '../storage-kind';
import type { StorageSettings } from '../storage-settings';
import { MultistatusError, parseMultistatus, type DavResource } from './multistatus';

/** Server and login of an account. */
export interface WebDavServer {
  /** It answered as a WebDAV server before. */
  readonly isChecked: boolean;
  readonly displayName: string;
  /** Address of the root, with a slash at its end. */
  readonly url: string;
  readonly login: string;
  readonly password: string;
  /** Longest time until an answer begins, ms. */
  readonly timeoutMs: number;
  readonly allowPlain: boolean;
}

/** Time that is left for an answer of our own before the deadline of a call, ms. */
const MARGIN_MS = 500;
const MIN_TIMEOUT_MS = 100;
const PROPERTIES =
  '<?xml version="1.0" encoding="utf-8"?><D:propfind xmlns:D="DAV:"><D:prop><D:resourcetype/><D:getcontentlength/>' +
  '<D:getlastmodified/><D:creationdate/><D:getcontenttype/><D:getetag/></D:prop></D:propfind>';

/** Headers and body of a request. */
interface DavOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | AsyncIterable<Uint8Array>;
  readonly isFolder?: boolean;
  /** The upload of a file: it has all the time of the call. */
  readonly isUpload?: boolean;
}

/** Files and folders of a WebDAV server (RFC 4918), over the outbound guard. */
export class WebDavConnection implements StorageConnection {
  constructor(
    private readonly web: WebClient,
    private readonly settings: StorageSettings,
    private readonly request: StorageRequest,
    private readonly server: WebDavServer,
  ) {}

  async findEntry(path: string): Promise<StorageEntry | undefined> {
    const found = await this.describe(path, '0', path === '');
    const [resource] = found?.resources ?? [];
    return resource && toEntry(path, resource);
  }

  async listEntries(path: string): Promise<StorageEntry[] | undefined> {
    const found = await this.describe(path, '1', true);
    if (!found) return undefined;
    // References are relative to the place of the answer: a redirect may have led there.
    const base = decodePath(found.url) ?? '';
    return found.resources.flatMap((resource) => {
      const place = decodePath(resource.href, found.url);
      const name = place?.startsWith(`${base}/`) ? place.slice(base.length + 1) : '';
      return isPathName(name) ? [toEntry(joinPath(path, name), resource)] : [];
    });
  }

  async readFile(path: string, range?: ByteRange): Promise<StorageBytes | undefined> {
    const headers = range && { range: `bytes=${range.start}-${range.end ?? ''}` };
    const answer = await this.send('GET', path, { ...(headers && { headers }) });
    if (answer.status === 404) return this.skip(answer, undefined);
    if (answer.status === 416) return this.skip(answer, { bytes: none() });
    if (answer.status !== 200 && answer.status !== 206) throw await this.refuse(answer, path);
    const sent = /^bytes (\d{1,15})-(\d{1,15})\//.exec(String(answer.headers['content-range'] ?? ''));
    if (answer.status === 206 && !sent) throw await this.refuse(answer, path);
    return {
      bytes: this.readBytes(answer.body),
      ...(answer.status === 206 && sent && { range: { start: Number(sent[1]), end: Number(sent[2]) } }),
    };
  }

  async writeFile(path: string, file: StorageUpload, replaces: boolean): Promise<boolean> {
    const answer = await this.send('PUT', path, {
      headers: {
        'content-type': file.contentType,
        'content-length': String(file.sizeBytes),
        // Not every server heeds it: callers look before.
        ...(!replaces && { 'if-none-match': '*' }),
      },
      ...(file.sizeBytes > 0 && { body: file.open() }),
      isUpload: true,
    });
    return this.finish(answer, path);
  }

  async createFolder(path: string): Promise<boolean> {
    const answer = await this.send('MKCOL', path, { isFolder: true });
    // RFC 4918 section 9.3.1: there is something already.
    if (answer.status === 405) return this.skip(answer, false);
    return this.finish(answer, path);
  }

  async move(from: string, to: string, isFolder: boolean): Promise<boolean> {
    return this.transfer('MOVE', from, to, isFolder);
  }

  async copy(from: string, to: string): Promise<boolean> {
    return this.transfer('COPY', from, to, false);
  }

  async remove(path: string, isFolder: boolean, tag?: string): Promise<boolean> {
    // Weak tags never match in a condition of a write (RFC 9110 section 13.1.1).
    const headers = tag?.startsWith('"') ? { 'if-match': tag } : undefined;
    const answer = await this.send('DELETE', path, { isFolder, ...(headers && { headers }) });
    if (answer.status === 404) return this.skip(answer, false);
    return this.finish(answer, path);
  }

  private async transfer(method: 'MOVE' | 'COPY', from: string, to: string, isFolder: boolean): Promise<boolean> {
    const headers = { destination: this.toUrl(to, isFolder), overwrite: 'F', ...(isFolder && { depth: 'infinity' }) };
    return this.finish(await this.send(method, from, { headers, isFolder }), from);
  }

  private async describe(
    path: string,
    depth: '0' | '1',
    isFolder: boolean,
  ): Promise<{ readonly url: string; readonly resources: DavResource[] } | undefined> {
    const answer = await this.send('PROPFIND', path, {
      headers: { depth, 'content-type': 'application/xml; charset=utf-8' },
      body: PROPERTIES,
      isFolder,
    });
    if (answer.status === 404) return this.skip(answer, undefined);
    if (answer.status !== 207) throw await this.refuse(answer, path);
    const { listBytes: maxBytes, listEntries: most } = this.settings;
    try {
      // The folder itself is one of them.
      const resources = await parseMultistatus(this.readBytes(answer.body), { maxBytes, maxResources: most + 1 });
      return { url: answer.url, resources };
    } catch (error) {
      if (error instanceof MultistatusError && error.reason !== 'malformed')
        throw FileLimitErrors.tooMany(most).with({ cause: error });
      if (error instanceof MultistatusError)
        throw FileStorageErrors.notReachable(this.server.displayName).with({ cause: error });
      throw error;
    }
  }

  private async send(
    method: WebMethod,
    path: string,
    { headers, body, isFolder = false, isUpload = false }: DavOptions,
  ): Promise<StreamAnswer> {
    const { principal, deadline, signal } = this.request;
    const { isChecked, login, password, allowPlain } = this.server;
    const leftMs = Math.max(MIN_TIMEOUT_MS, deadline - Date.now() - MARGIN_MS);
    const timeoutMs = isUpload ? leftMs : Math.min(leftMs, this.server.timeoutMs);
    const request: StreamRequest = {
      url: this.toUrl(path, isFolder),
      method,
      headers: { authorization: `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`, ...headers },
      ...(body !== undefined && { body }),
      // A change is made where it was sent to, or not at all.
      ...(method !== 'PROPFIND' && method !== 'GET' && { maxRedirects: 0 }),
      purpose: 'storage',
      allowPlain,
      timeoutMs,
      idleMs: this.settings.idleMs,
      // A description has the time of its answer; the bytes of a file come as long as they come.
      ...(method === 'PROPFIND' && { bodySignal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) }),
      onBehalfOf: `${principal.contextId}:${principal.userId}`,
      // Every look into a folder is a request.
      countsFailuresOnly: isChecked,
      signal,
    };
    try {
      return await this.web.openStream(request);
    } catch (error) {
      throw this.toFailure(error);
    }
  }

  /** Whether a write was done; false where the name is taken. */
  private async finish(answer: StreamAnswer, path: string): Promise<boolean> {
    if (answer.status === 412) return this.skip(answer, false);
    // 207 tells what of a folder could not be handled.
    if (answer.status < 200 || answer.status >= 300 || answer.status === 207) throw await this.refuse(answer, path);
    return this.skip(answer, true);
  }

  /** The error of an answer that is none of those expected. */
  private async refuse(answer: StreamAnswer, path: string): Promise<CatalogueError> {
    const { displayName } = this.server;
    await this.skip(answer, undefined);
    switch (answer.status) {
      case 401:
        return FileStorageErrors.loginRefused(displayName);
      case 404:
      case 409:
      case 410:
        return FileStorageErrors.noSuchFolder(path || '/', displayName);
      case 403:
      case 405:
      case 501:
        return FileStorageErrors.notSupported(displayName);
      case 413:
      case 507:
        return FileStorageErrors.storageFull(displayName);
      case 423:
        return InfostoreErrors.locked(path);
      default:
        return FileStorageErrors.notReachable(displayName);
    }
  }

  private toFailure(error: unknown): unknown {
    if (error instanceof OutboundFailure || error instanceof CertificateFailure)
      return FileStorageErrors.notReachable(this.server.displayName).with({ cause: error });
    return error;
  }

  private async *readBytes(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* body;
    } catch (error) {
      throw this.toFailure(error);
    }
  }

  /** Ends an answer of which only the status is wanted. */
  private async skip<T>({ body }: StreamAnswer, result: T): Promise<T> {
    const bytes = body[Symbol.asyncIterator]();
    // A generator that was never begun would not end its connection.
    await bytes.next().catch(() => undefined);
    await bytes.return?.();
    return result;
  }

  private toUrl(path: string, isFolder: boolean): string {
    const encoded = path === '' ? '' : path.split('/').map(encodeURIComponent).join('/');
    return this.server.url + encoded + (isFolder && path !== '' ? '/' : '');
  }
}

/** The path of an address or of a reference, decoded and without slash at its end; undefined where it is none. */
function decodePath(href: string, base?: string): string | undefined {
  try {
    const { pathname } = new URL(href, base);
    return decodeURIComponent(pathname).replace(/\/$/, '');
  } catch {
    return undefined;
  }
}

const toEntry = (
  path: string,
  { href: _href, modified, contentType, etag, ...resource }: DavResource,
): StorageEntry => ({
  path,
  ...resource,
  modified: modified ?? 0,
  ...(contentType !== undefined && { mimeType: contentType }),
  ...(etag !== undefined && { tag: etag }),
});

async function* none(): AsyncGenerator<Uint8Array> {
  // Nothing of the file is wanted.
}
