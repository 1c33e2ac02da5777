import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { RequestErrors, type Principal } from '@groupware/contracts';
import { clientNetwork, type ClientAddresses } from '@groupware/service-kit';
import { hasBody } from '../input/body-reader';
import { belowBase, splitTarget } from '../input/url';
import { logAccess, logError } from '../observe/access-log';
import type { EdgeMetrics } from '../observe/metrics';
import { Admission, type Place } from './admission';
import { traceExchange } from '../observe/trace-exchange';
import { asCatalogueError, Exchange } from './exchange';
import type { ModuleCalls } from './module-calls';
import type { EdgeLog } from './ports';
import type { RestCalls } from './rest-calls';
import type { RouteTable } from './route-table';
import type { EdgeSettings } from './settings';

/** Parts that the edge is made of. */
export interface EdgeParts {
  readonly settings: EdgeSettings;
  readonly publicRoutes: RouteTable;
  readonly internalRoutes: RouteTable;
  readonly modules: ModuleCalls;
  readonly rest: RestCalls;
  readonly addresses: ClientAddresses;
  readonly metrics: EdgeMetrics;
  readonly accessLog: EdgeLog;
  /** Writes lines with the log levels of a caller. */
  readonly logFor: (principal: Principal | undefined, write: () => void) => void;
  readonly log: EdgeLog;
  /** Requests below /docs go on to the explorer. */
  readonly hasExplorer: boolean;
  /** Requests for pages and files beside the API, which go on as well. */
  readonly hasPage: (request: IncomingMessage) => boolean;
}

/** Paths of the internal listener that probes and scrapers use; the service kit answers them. */
const PROBES = /^\/(live|ready|health|metrics)\/?(\?|$)/;
const EXPLORER = /^\/docs([/?]|$)/;

/** The two HTTP handlers of the gateway: one for each listener. */
export class Edge {
  private readonly admissions: Readonly<Record<'public' | 'internal', Admission>>;

  constructor(private readonly parts: EdgeParts) {
    // Each listener for itself: clients cannot keep operators and cooperating services out.
    this.admissions = { public: new Admission(parts.settings), internal: new Admission(parts.settings) };
    parts.metrics.showRequests(this.admissions);
  }

  /** Public listener: module calls below the base paths, and the REST operations that clients may use. */
  readonly handlePublic = (request: IncomingMessage, response: ServerResponse, next?: () => void): void => {
    if (next && (this.isForExplorer(request) || this.isForPages(request))) return next();
    this.serve('public', request, response, (exchange) => {
      const { settings, publicRoutes, modules, rest } = this.parts;
      const name = belowBase(exchange.path, settings.basePaths);
      if (name !== undefined && publicRoutes.module(name)) return modules.handle(exchange, name);
      const match = publicRoutes.restMatch(exchange.method, exchange.path);
      if (match || name === undefined) return rest.handle(exchange, match);
      return modules.handle(exchange, name);
    });
  };

  /** Internal listener: the administrative REST API. */
  readonly handleInternal = (request: IncomingMessage, response: ServerResponse, next?: () => void): void => {
    if (next && (PROBES.test(request.url ?? '') || this.isForExplorer(request))) return next();
    this.serve('internal', request, response, (exchange) =>
      this.parts.rest.handle(exchange, this.parts.internalRoutes.restMatch(exchange.method, exchange.path)),
    );
  };

  /** Public listener: module calls that ask for an upgrade of their connection. Refusals are ordinary answers. */
  readonly handleUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    socket.on('error', () => socket.destroy());
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket as Socket);
    response.once('finish', () => (socket as Socket).destroySoon());
    this.serve(
      'public',
      request,
      response,
      (exchange) => {
        const { settings, modules, rest } = this.parts;
        const name = belowBase(exchange.path, settings.basePaths);
        return name === undefined ? rest.handle(exchange, undefined) : modules.handle(exchange, name);
      },
      { socket, head },
    );
  };

  private isForExplorer({ url = '' }: IncomingMessage): boolean {
    return this.parts.hasExplorer && url.startsWith('/docs') && EXPLORER.test(url);
  }

  /** Pages never stand before the API: a path that it knows, or below a base path of its own, is not theirs. */
  private isForPages(request: IncomingMessage): boolean {
    const { publicRoutes, settings, hasPage } = this.parts;
    if (!hasPage(request)) return false;
    const { path } = splitTarget(request.url ?? '/');
    const ownBases = settings.basePaths.filter((base) => base !== '');
    if (belowBase(path, ownBases) !== undefined) return false;
    const name = belowBase(path, settings.basePaths);
    if (name && (publicRoutes.module(name) ?? publicRoutes.moduleByPattern(name) ?? publicRoutes.moduleWithTail(name)))
      return false;
    return publicRoutes.restMatch('GET', path) === undefined;
  }

  private serve(
    listener: 'public' | 'internal',
    request: IncomingMessage,
    response: ServerResponse,
    answer: (exchange: Exchange) => Promise<void>,
    upgrade?: Exchange['upgrade'],
  ): void {
    const { parts } = this;
    const exchange = new Exchange(request, response, parts.addresses.originOf(request), (failed, error) =>
      parts.logFor(failed.principal, () => logError(parts.log, failed, error)),
    );
    if (upgrade) exchange.upgrade = upgrade;
    let place: Place | undefined;
    exchange.onStream(() => place?.enter(undefined));
    exchange.onSending(() => place?.enter('sending'));
    response.on('prefinish', exchange.startsSending);
    response.on('close', () => {
      place?.enter(undefined);
      exchange.closed();
      const milliseconds = performance.now() - exchange.startedAt;
      parts.metrics.finished(exchange, milliseconds);
      parts.logFor(exchange.principal, () => logAccess(parts.accessLog, exchange, milliseconds));
    });
    const begin = () => {
      if (exchange.isGone) return;
      const admission = this.admissions[listener];
      const network = clientNetwork(exchange.origin.remoteAddress);
      const isReceiving = hasBody(request) && !request.complete;
      place = isReceiving ? admission.beginBody(request, network) : admission.begin(request, network);
      if (place) return this.run(exchange, answer);
      const busy = asCatalogueError(RequestErrors.tooManyRequests(1).with({ headers: { 'Retry-After': '1' } }));
      return listener === 'internal' ? parts.rest.fail(exchange, busy) : parts.modules.fail(exchange, busy);
    };
    // Most bodies come with the head: those are complete a moment later and never on their way.
    if (hasBody(request)) setImmediate(begin);
    else begin();
  }

  private run(exchange: Exchange, answer: (exchange: Exchange) => Promise<void>): void {
    // Every handler answers its own failures; what still gets here is a fault while answering.
    traceExchange(exchange, () => answer(exchange)).catch((error: unknown) => {
      this.parts.log.error({ requestId: exchange.requestId, err: error }, 'answer was not completed');
      exchange.response.destroy();
    });
  }
}
