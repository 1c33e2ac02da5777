import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import express, { type Request, type Response, type Router } from 'express';
import helmet from 'helmet';
import { splitTarget } from '../input/url';
import { CODINGS, isHashed, SUFFIXES, type ClientFile, type ClientFiles, type Coding } from './client-files';

/** Settings of the pages that are served beside the API. */
export interface ClientPageOptions {
  /** Absent: no client, the root answers a page about this server. */
  readonly files?: ClientFiles;
  /** Path of the client, without slash at its end; empty: the root. */
  readonly clientPath: string;
  /** Content security policy of the client. */
  readonly policy: string;
  /** Whether `/docs` is the explorer. */
  readonly hasExplorer: boolean;
}

/** Beside the compiled code as beside the sources. */
const ASSETS = path.join(__dirname, '..', '..', 'assets', 'start-page');
const START_POLICY =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const START_TARGETS: ReadonlySet<string> = new Set(['/', '/start-page.css']);
/** Place in the start page, and what stands there when there is an explorer. */
const EXPLORER_PLACE = '<!-- explorer -->';
const EXPLORER_LINK = '<p><a href="/docs/">API explorer</a>: every operation, to read about and to try.</p>';

/** Texts are worth compressing, from this size on. */
const COMPRESSIBLE = /\.(html?|m?js|css|json|map|svg|txt|xml|webmanifest|wasm|ttf|otf|ico)$/;
const MIN_COMPRESSED_BYTES = 1_024;
/** Fast enough for the first request that waits for it. */
const BROTLI_QUALITY = 5;
const compress: Readonly<Record<Coding, (content: Buffer) => Promise<Buffer>>> = {
  br: (content) => promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: promisify(gzip),
};

const YEAR_SECONDS = 31_536_000;

/** A static client and the page of the root. */
export class ClientPages {
  /** Compressed contents by file and coding: at most what the folder holds, as only its files get here. */
  private readonly compressed = new WeakMap<ClientFile, Map<Coding, Promise<Buffer>>>();

  private readonly startPage: string;

  constructor(private readonly options: ClientPageOptions) {
    const template = readFileSync(path.join(ASSETS, 'index.html'), 'utf8');
    this.startPage = template.replace(EXPLORER_PLACE, options.hasExplorer ? EXPLORER_LINK : '');
  }

  /** Whether a request is for a page or a file of these. The caller has made sure that it is none of the API. */
  has(request: IncomingMessage): boolean {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false;
    const { path: target } = splitTarget(request.url ?? '/');
    return this.isStartPage(target) || this.isRedirected(target) || this.findFile(request, target) !== undefined;
  }

  /** Answers what {@link has} said yes to. */
  router(): Router {
    const router = express.Router();
    const common = { contentSecurityPolicy: false, strictTransportSecurity: false, originAgentCluster: false } as const;
    router.use(helmet({ ...common, crossOriginOpenerPolicy: false, xFrameOptions: false }));
    router.use(async (request: Request, response: Response, next) => {
      const { path: target } = splitTarget(request.url);
      if (this.isRedirected(target)) return response.redirect(302, `${this.options.clientPath}/`);
      if (this.isStartPage(target)) return this.sendStartPage(target, response);
      const file = this.findFile(request, target);
      return file ? this.sendFile(file, request, response) : next();
    });
    return router;
  }

  private isStartPage(target: string): boolean {
    return !this.options.files && START_TARGETS.has(target);
  }

  /** The root leads to a client below it, and its path without a slash to the one with: addresses in its page are relative. */
  private isRedirected(target: string): boolean {
    const { files, clientPath } = this.options;
    return files !== undefined && clientPath !== '' && (target === '/' || target === clientPath);
  }

  private findFile(request: IncomingMessage, target: string): ClientFile | undefined {
    const { files, clientPath } = this.options;
    if (!files || !target.startsWith(`${clientPath}/`)) return undefined;
    try {
      const name = decodeURIComponent(target.slice(clientPath.length + 1));
      return files.findFile(name, request.headers.accept?.includes('text/html') ?? false);
    } catch {
      return undefined;
    }
  }

  private sendStartPage(target: string, response: Response): void {
    response.set({ 'Content-Security-Policy': START_POLICY, 'Cache-Control': 'no-cache' });
    if (target === '/') response.type('html').send(this.startPage);
    else response.sendFile(target.slice(1), { root: ASSETS, cacheControl: false });
  }

  private async sendFile(file: ClientFile, request: Request, response: Response): Promise<void> {
    const { files, policy } = this.options;
    response.set({
      'Content-Security-Policy': policy,
      'Cache-Control': isHashed(file.path) ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache',
      Vary: 'Accept-Encoding',
    });
    response.type(path.extname(file.path));
    const isCompressible = COMPRESSIBLE.test(file.path) && file.sizeBytes >= MIN_COMPRESSED_BYTES;
    const offered = CODINGS.filter((coding) => isCompressible || file.codings.has(coding));
    // Parts are parts of the file as it is.
    const coding = request.headers.range ? undefined : chooseCoding(request, offered);
    if (coding) response.set('Content-Encoding', coding);
    response.set('ETag', `W/"${file.sizeBytes}-${file.modifiedMs}${coding ? `-${coding}` : ''}"`);
    if (!coding || file.codings.has(coding)) {
      const name = coding ? file.path + SUFFIXES[coding] : file.path;
      return response.sendFile(name, { root: files!.folder, cacheControl: false }, (error) => {
        if (error) answerGone(response);
      });
    }
    if (request.fresh) return void response.status(304).end();
    try {
      const body = await this.load(file, coding);
      response.set('Content-Length', String(body.length)).end(request.method === 'HEAD' ? undefined : body);
    } catch {
      answerGone(response);
    }
  }

  private load(file: ClientFile, coding: Coding): Promise<Buffer> {
    const known = this.compressed.get(file) ?? new Map<Coding, Promise<Buffer>>();
    this.compressed.set(file, known);
    const found =
      known.get(coding) ?? readFile(path.join(this.options.files!.folder, file.path)).then(compress[coding]);
    known.set(coding, found);
    found.catch(() => known.delete(coding));
    return found;
  }
}

/** The coding that the client takes, undefined for the file as it is. */
function chooseCoding(request: Request, offered: readonly Coding[]): Coding | undefined {
  const accepted = new Set(request.acceptsEncodings());
  return offered.find((coding) => accepted.has(coding));
}

/** Answers for a file that was removed since the folder was read; no cache may keep that. */
function answerGone(response: Response): void {
  if (response.headersSent) return void response.destroy();
  for (const name of ['Content-Encoding', 'ETag', 'Last-Modified', 'Content-Length']) response.removeHeader(name);
  response.status(404).set('Cache-Control', 'no-store').type('text').end();
}
