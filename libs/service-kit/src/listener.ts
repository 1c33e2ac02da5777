import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Module, type DynamicModule, type Provider, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import { errorObject, localeOf, RequestErrors } from '@groupware/contracts';
import { freshErrorId } from '@groupware/messaging';
import { TerminusModule } from '@nestjs/terminus';
import express, { type Express } from 'express';
import type { ListenerSettings } from './config/listener-settings';
import type { HttpMiddleware, UpgradeTaker } from './define-service';
import { ConnectionLimits, countClosed } from './http/connection-limits';
import { answerMalformedRequests } from './http/malformed-requests';
import { inTurn } from './http/pipelining';
import { refuseHead, type HeadProblem } from './http/request-head';
import { SlowClients } from './http/slow-clients';
import { Logger } from './log/logger';

const log = Logger.for('process');

@Module({})
class ListenerModule {}

/** An express application that tells nothing about itself. */
export function createBareExpress(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  return app;
}

/** Paths answered from process start. */
const PROBES: ReadonlySet<string> = new Set(['/live', '/ready', '/health', '/metrics']);

/** Serves an application once its process has started; before, probes pass through and everything else gets 503. */
export function afterStart(instance: Express, isStarted: () => boolean): Express {
  return createBareExpress().use((request, response, next) => {
    if (isStarted()) return instance(request, response, next);
    if (PROBES.has(request.path)) return next();
    const error = RequestErrors.serviceUnavailable('process');
    error.errorId = freshErrorId();
    const locale = localeOf(request.headers['accept-language']) ?? 'en_US';
    response.status(503).set('Retry-After', '1').json(errorObject(error, locale));
  });
}

/** Maximum interval of timeout checks, ms. */
const MAX_CHECK_INTERVAL_MS = 1_000;

/** Options of a listener. */
export interface ListenerOptions {
  /** `public` or `internal`, for metrics. */
  readonly name: string;
  /** Sees requests before the application does. */
  readonly middleware?: HttpMiddleware;
  /** Its handlers run before Nest's own routes. */
  readonly instance: Express;
  readonly controllers?: Type[];
  readonly providers?: Provider[];
  readonly port: number;
  readonly host: string;
  /** The setting behind the port, for errors. */
  readonly portName: string;
  readonly limits: ListenerSettings;
  /** Whether an address is a trusted proxy. */
  readonly isProxy: (address: string) => boolean;
  readonly takeUpgrade?: UpgradeTaker;
}

/** An open listener. */
export interface Listener {
  readonly url: string;
  /** From now on every answer closes its connection, so that clients turn to another process with their next request. */
  drain(): void;
  /** Takes no more connections, closes those without a request and waits for the answers under way. */
  close(): Promise<void>;
}

/** Makes servers whose clients can be slow only at their own expense. */
class BoundedAdapter extends ExpressAdapter {
  constructor(
    instance: Express,
    private readonly listener: ListenerOptions,
  ) {
    super(instance);
  }

  override initHttpServer(): void {
    const { limits, name, isProxy, takeUpgrade, middleware } = this.listener;
    const application: http.RequestListener = this.getInstance();
    const handle: http.RequestListener = middleware
      ? (request, response) => middleware(request, response, () => application(request, response))
      : application;
    const server = http.createServer(
      {
        headersTimeout: Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs),
        requestTimeout: limits.requestTimeoutMs,
        keepAliveTimeout: limits.keepAliveMs,
        maxHeaderSize: limits.maxHeaderBytes,
        connectionsCheckingInterval: Math.min(MAX_CHECK_INTERVAL_MS, limits.headersTimeoutMs),
      },
      inTurn((request, response) => {
        const problem = refuseHead(request, limits.maxHeaders);
        if (problem) answerRefusal(request, response, problem);
        else handle(request, response);
      }, limits.maxPipelined),
    );
    server.on('connect', (_request, socket) =>
      closeWith(socket as Socket, 'HTTP/1.1 405 Method Not Allowed\r\nConnection: close\r\n\r\n'),
    );
    // The server would leave out the rest without a word: a request is judged by all of its headers or refused.
    server.maxHeadersCount = 0;
    answerMalformedRequests(server, (problem) => refusalOf(problem));
    new ConnectionLimits(server, name, limits, isProxy, takeUpgrade !== undefined);
    new SlowClients(server, limits, () => countClosed(name, 'slow'));
    this.httpServer = server;
  }
}

/** Answers on a bare connection and closes both of its ends: a client may keep its own open for good. */
function closeWith(socket: Socket, answer: string): void {
  socket.end(answer);
  socket.destroySoon();
}

/** The body that tells a client why its request is refused. */
function refusalOf({ reason }: HeadProblem, locale = 'en_US'): string {
  const error = RequestErrors.badRequest(reason);
  error.errorId = freshErrorId();
  log.info({ code: error.code, error_id: error.errorId, detail: reason }, 'request refused');
  return JSON.stringify(errorObject(error, locale));
}

/** Answers a request that is ambiguous, and reads nothing more of its connection: what follows may be another's request. */
function answerRefusal(request: http.IncomingMessage, response: http.ServerResponse, problem: HeadProblem): void {
  const body = refusalOf(problem, localeOf(request.headers['accept-language']));
  response.shouldKeepAlive = false;
  response.writeHead(problem.status, {
    'Content-Type': 'application/json; charset=UTF-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    ...(problem.status === 405 ? { Allow: 'GET, HEAD, POST, PUT, DELETE, PATCH' } : {}),
  });
  response.end(body);
}

/** Opens a listener. Fails with the name of the setting when the port is taken. */
export async function openListener(options: ListenerOptions): Promise<Listener> {
  const { instance, controllers = [], providers = [], port, host, portName, takeUpgrade } = options;
  const module: DynamicModule = {
    module: ListenerModule,
    imports: controllers.length > 0 ? [TerminusModule.forRoot({ errorLogStyle: 'json', logger: false })] : [],
    controllers,
    providers,
  };
  const app = await NestFactory.create<NestExpressApplication>(module, new BoundedAdapter(instance, options), {
    bodyParser: false,
    logger: ['error', 'warn'],
    abortOnError: false,
  });
  await app.init();
  const server: http.Server = app.getHttpServer();
  const connections = new Connections(server);
  if (takeUpgrade)
    server.on('upgrade', (request, socket, head) => {
      connections.release(socket as Socket);
      if (refuseHead(request, options.limits.maxHeaders))
        return closeWith(socket as Socket, 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
      takeUpgrade(request, socket, head);
    });
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    await app.close();
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new Error(`${portName}: port ${port} on ${host} is taken`, { cause: error });
  }
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  let closing: Promise<void> | undefined;
  const closeServer = async () => {
    const closed = once(server, 'close');
    connections.drain();
    server.close();
    connections.closeIdle();
    await closed;
    await app.close();
  };
  return {
    url: `http://${name === '0.0.0.0' || name === '[::]' ? '127.0.0.1' : name}:${address.port}`,
    drain: () => connections.drain(),
    close: () => (closing ??= closeServer()),
  };
}

type Socket = http.IncomingMessage['socket'];

/** Connections of a server with the answers under way on each, for an orderly end. */
class Connections {
  private readonly open = new Map<Socket, Set<http.ServerResponse>>();
  private isDraining = false;
  private closesIdle = false;

  constructor(server: http.Server) {
    server.on('connection', (socket: Socket) => {
      this.open.set(socket, new Set());
      socket.once('close', () => this.open.delete(socket));
    });
    server.prependListener('request', (request, response) => this.begin(request.socket, response));
  }

  /** The new owner of the connection closes it. */
  release(socket: Socket): void {
    this.open.delete(socket);
  }

  /** Every answer from now on says `Connection: close`, also those under way whose head was not sent. */
  drain(): void {
    this.isDraining = true;
    for (const responses of this.open.values()) for (const response of responses) response.shouldKeepAlive = false;
  }

  /** Closes connections without a request, now and whenever an answer is complete. */
  closeIdle(): void {
    this.closesIdle = true;
    for (const [socket, responses] of this.open) if (responses.size === 0) socket.destroySoon();
  }

  private begin(socket: Socket, response: http.ServerResponse): void {
    if (this.isDraining) response.shouldKeepAlive = false;
    const responses = this.open.get(socket);
    if (!responses) return;
    responses.add(response);
    response.on('close', () => {
      responses.delete(response);
      // Its head may have left before the end began.
      if (this.closesIdle && responses.size === 0) socket.destroySoon();
    });
  }
}
