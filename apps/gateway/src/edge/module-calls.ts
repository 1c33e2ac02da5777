import {
  AppPasswordErrors,
  httpStatusOf,
  OAuthProviderErrors,
  opensToApp,
  PASSWORD_SCOPE,
  RequestErrors,
  requirePermission,
  SessionErrors,
  UploadErrors,
  type CatalogueError,
  type CookieChange,
  type ErrorFactory,
  type HttpMethod,
  type Operation,
} from '@groupware/contracts';
import { isJsonType, parseForm, toParameters } from '../input/arguments';
import { isForm, isMultipart } from '../input/upload';
import { first } from '../input/url';
import { asksForPage, callbackName, callbackPage, wantsPage } from '../output/callback-page';
import { cookieLine } from '../output/cookies';
import { envelope, envelopePieces, envelopeStream, errorEnvelope } from '../output/envelope';
import { JSON_TYPE, NO_CACHE, sendBuffer, sendPieces, sendStream } from '../output/send';
import { isBytes, wholeBody } from '../output/whole-body';
import { readLimited, type CallRunner } from './call';
import { asCatalogueError, failureHeaders, type Exchange } from './exchange';
import type { FileSender } from './file-sender';
import type { Multiple } from './multiple';
import type { RawAnswer, SessionGate, Throttle } from './ports';
import type { RouteTable } from './route-table';
import { StartData } from './start-data';
import type { Streams } from '../streams/streams';
import { clientNetwork } from '@groupware/service-kit';
import type { EdgeSettings } from './settings';

/** Parts that module calls are made of. */
export interface ModuleCallParts {
  readonly routes: RouteTable;
  readonly runner: CallRunner;
  readonly sessions: SessionGate;
  readonly files: FileSender;
  readonly multiple: Multiple;
  /** Streams of what happens; without them such calls are refused. */
  readonly streams?: Streams;
  readonly logins: Throttle;
  readonly settings: EdgeSettings;
}

/** `{base}/<module>?action=<action>`: finds the operation, checks who calls, runs it, writes the envelope. */
export class ModuleCalls {
  private readonly startData: StartData;

  constructor(private readonly parts: ModuleCallParts) {
    this.startData = new StartData(parts.runner, parts.sessions);
  }

  /** Handles one request. `name` is the path below the base. Failures are answered here, all of them. */
  async handle(exchange: Exchange, path: string): Promise<void> {
    // Old clients put the id of the servlet container's session into the path; nothing depends on it.
    const plainName = path.replace(/;jsessionid=[^/;]*$/i, '');
    const name = plainName.startsWith(BEARER_PATH) ? plainName.slice(BEARER_PATH.length) : plainName;
    if (name !== plainName) exchange.needsToken = true;
    try {
      if (name === 'login') await this.readForm(exchange);
      exchange.action = first(exchange.parameters, 'action') ?? '';
      const operation = this.find(exchange, name);
      exchange.operation = operation;
      await this.authorize(exchange, operation);
      if (operation.reply.kind === 'stream') return await this.openStream(exchange, operation);
      if (operation.module === 'multiple') return await this.runMultiple(exchange);
      const answer = await this.parts.runner.run(exchange);
      await this.write(
        exchange,
        operation,
        operation.startData ? await this.startData.add(exchange, operation, answer) : answer,
      );
    } catch (error) {
      this.fail(exchange, asCatalogueError(error));
    }
  }

  /** Parameters of the login module, its action and session among them, stand in the URL, a form or JSON. */
  private async readForm(exchange: Exchange): Promise<void> {
    const { request, parameters } = exchange;
    const type = request.headers['content-type'];
    if (!(isForm(request) || isJsonType(type)) || parameters.password !== undefined) return;
    exchange.form = await readLimited(exchange, this.parts.settings.maxBodyBytes, false);
    const { password: _password, ...others } = toParameters(await parseForm(exchange.form, type));
    for (const [field, value] of Object.entries(others)) parameters[field] ??= value;
  }

  private find(exchange: Exchange, path: string): Operation {
    const { routes } = this.parts;
    let name = path;
    let actions = routes.module(path);
    let hasTail = false;
    const pattern = actions ? undefined : routes.moduleByPattern(path);
    if (pattern) {
      name = pattern.name;
      actions = routes.module(name);
      Object.assign(exchange.parameters, pattern.values);
    }
    if (!actions) {
      const found = routes.moduleWithTail(path);
      if (!found) throw RequestErrors.unknownModule(path);
      ({ name, routes: actions } = found);
      hasTail = true;
    }
    exchange.module = name;
    Object.assign(exchange.parameters, routes.aliasParameters(name));
    // Before anything else: a password in a URL is in the logs of every proxy already, the client must learn it at once.
    if (name.split('/')[0] === 'login' && exchange.parameters.password !== undefined)
      throw RequestErrors.parameterInUrl('password');
    const methods = actions.get(exchange.action);
    if (!methods) {
      // A longer path without an action is no call of the module: it may be an operation of the internal listener.
      if (exchange.action === '' && hasTail) throw RequestErrors.unknownModule(path);
      if (exchange.action === '') throw RequestErrors.missingParameter('action');
      // The login module has an enumeration of its own.
      if (name === 'login') throw RequestErrors.unknownAction(exchange.action);
      throw RequestErrors.unknownModuleAction(exchange.action, name);
    }
    const shared = methods.get(exchange.method as HttpMethod) ?? findForOtherMethod(exchange.method, methods);
    if (!shared) throw RequestErrors.wrongMethod(exchange.action, name, [...methods.keys()].join(' or '));
    const operation = routes.select(shared, (parameter) => first(exchange.parameters, parameter));
    const takesName = operation.reply.kind === 'file' || operation.namedFile === true;
    if (hasTail && !takesName && !operation.tail) throw RequestErrors.unknownModule(path);
    if (operation.tail) exchange.parameters.path = path.slice(name.length + 1);
    return operation;
  }

  /** Resolves the session of the request into `exchange.principal` and checks the capability of the operation. */
  async authorize(exchange: Exchange, operation: Operation): Promise<void> {
    if (operation.auth === 'none') {
      exchange.principal = { kind: 'anonymous' };
      const isLogin = operation.module === 'login' && operation.http === 'POST';
      if (isLogin || operation.credentials) await this.throttleLogin(exchange);
      return;
    }
    const token = bearerToken(exchange.request.headers.authorization);
    if (isOfToken(exchange)) return this.authorizeToken(exchange, operation, token);
    const sessionId = first(exchange.parameters, 'session');
    exchange.sessionId = sessionId;
    exchange.isOfPage = operation.publicSession === true && !sessionId;
    const { principal, cookies } = await this.parts.sessions.check({
      sessionId,
      cookies: exchange.request.headers.cookie,
      userAgent: exchange.userAgent,
      remoteAddress: exchange.origin.remoteAddress,
      headers: exchange.request.headers as Readonly<Record<string, string | undefined>>,
      ...(operation.publicSession ? { publicSession: first(exchange.parameters, 'public_session') ?? '' } : {}),
    });
    exchange.principal = principal;
    exchange.cookies = cookies;
    requirePermission(operation, principal);
  }

  /** Resolves the access token of the request; the session parameter counts nothing beside it. */
  private async authorizeToken(exchange: Exchange, operation: Operation, token: string | undefined): Promise<void> {
    const principal = token === undefined ? undefined : await this.parts.sessions.checkToken(token);
    if (!principal) throw refuseToken(token !== undefined);
    exchange.principal = principal;
    if (!opensToApp(operation, principal.appScopes ?? []))
      throw OAuthProviderErrors.insufficientScope(scopeNeeded(operation));
    requirePermission(operation, principal);
  }

  private async runMultiple(exchange: Exchange): Promise<void> {
    const pieces = await this.parts.multiple.runCalls(exchange);
    if (!exchange.isGone) sendPieces(exchange, 200, JSON_TYPE, pieces, this.headersOf(exchange, {}));
  }

  private async openStream(exchange: Exchange, operation: Operation): Promise<void> {
    const { streams } = this.parts;
    if (!streams) throw RequestErrors.serviceUnavailable(operation.module);
    if (operation.name === 'socket') return streams.socket(exchange);
    return streams.events(exchange, this.cookieHeaders(exchange, exchange.cookies));
  }

  private async throttleLogin(exchange: Exchange): Promise<void> {
    const wait = await this.parts.logins.count(`login:${clientNetwork(exchange.origin.remoteAddress)}`);
    if (wait > 0) throw RequestErrors.tooManyRequests(wait).with({ headers: { 'Retry-After': String(wait) } });
  }

  private async write(exchange: Exchange, operation: Operation, answer: RawAnswer): Promise<void> {
    const { response } = exchange;
    if (exchange.isGone) return this.parts.files.discard(answer);
    const headers = this.headersOf(exchange, answer);
    const { kind } = operation.reply;
    if (answer.file) return this.parts.files.send(exchange, answer, headers);
    const status = answer.status ?? operation.reply.status ?? 200;

    if (kind === 'plain' || (answer.status !== undefined && answer.status !== 200)) {
      if (isBytes(answer.body)) {
        const body = Buffer.from(answer.body.buffer, answer.body.byteOffset, answer.body.byteLength);
        const type = body.length > 0 && !answer.headers?.['Content-Type'] ? JSON_TYPE : undefined;
        return sendBuffer(exchange, status, type, body, headers);
      }
      response.writeHead(status, [...NO_CACHE, ...headers, 'Content-Type', JSON_TYPE]);
      await sendStream(exchange, answer.body);
      return;
    }

    exchange.warn(answer.warnings);
    const parts = { timestamp: answer.timestamp, warnings: answer.warnings, locale: exchange.locale };
    if (kind === 'page' && this.answersPage(exchange)) {
      return this.sendPage(exchange, envelope(await wholeBody(answer.body), parts), headers);
    }
    if (isBytes(answer.body)) {
      return sendPieces(exchange, status, JSON_TYPE, envelopePieces(answer.body, parts), headers);
    }
    response.writeHead(status, [...NO_CACHE, ...headers, 'Content-Type', JSON_TYPE]);
    await sendStream(exchange, envelopeStream(answer.body, parts));
  }

  private headersOf(exchange: Exchange, answer: Pick<RawAnswer, 'headers' | 'cookies'>): string[] {
    const headers = Object.entries(answer.headers ?? {}).flat();
    headers.push(...this.cookieHeaders(exchange, exchange.cookies), ...this.cookieHeaders(exchange, answer.cookies));
    return headers;
  }

  private cookieHeaders(exchange: Exchange, changes: readonly CookieChange[] = []): string[] {
    return changes.flatMap((change) => {
      const line = cookieLine(change, this.parts.settings, exchange.origin.secure);
      return line ? ['Set-Cookie', line] : [];
    });
  }

  /**
   * Form uploads are answered by a page, whatever the operation or the outcome, unless the client asks for JSON; browsers that come
   * from elsewhere when they ask for it.
   */
  private answersPage({ request, operation, parameters }: Exchange): boolean {
    if (isMultipart(request)) return !operation?.plainAnswers && wantsPage(parameters, request.headers.accept);
    return request.method === 'GET' && operation?.reply.kind === 'page' && asksForPage(parameters);
  }

  private sendPage(exchange: Exchange, json: Buffer, headers: readonly string[], status = 200): void {
    const name = callbackName(exchange.operation, exchange.action, exchange.parameters);
    const body = callbackPage(name, json);
    sendBuffer(exchange, status, 'text/html; charset=UTF-8', body, headers);
  }

  /** Answers a failed call: HTTP 200 with the error fields, except for the errors that the API gives a status. */
  fail(exchange: Exchange, error: CatalogueError): void {
    if (isOfToken(exchange) && error.is(AppPasswordErrors.outsideScope))
      error = OAuthProviderErrors.insufficientScope(...error.params);
    exchange.fail(error);
    const { response } = exchange;
    if (response.headersSent || exchange.isGone) {
      response.destroy();
      return;
    }
    const status = statusOf(exchange, error);
    const headers = failureHeaders(error, status, this.parts.settings.retryAfterSeconds);
    headers.push(...this.cookieHeaders(exchange, this.parts.sessions.cookiesAfter(error)));
    headers.push(...exchange.dropBody());
    const stack = this.parts.settings.showsStack(exchange.principal);
    const json = scopeError(exchange, error) ?? errorEnvelope(error, exchange.locale, { stack });
    if (this.answersPage(exchange) && !error.is(UploadErrors.notMultipart))
      return this.sendPage(exchange, json, headers, status);
    sendBuffer(exchange, status, JSON_TYPE, json, headers);
  }
}

/** Module calls of applications, which know no session. */
const BEARER_PATH = 'oauth/modules/';
/** RFC 6750, section 2.1; clients write the scheme as they like. */
const BEARER = /^bearer +([\w.~+/-]+=*) *$/i;

const bearerToken = (header: string | undefined): string | undefined => BEARER.exec(header ?? '')?.[1];

/** Whether a call comes with an access token, or has to. */
const isOfToken = ({ needsToken, request }: Exchange): boolean =>
  needsToken || bearerToken(request.headers.authorization) !== undefined;

/** The challenge of RFC 6750, section 3: without an error where nothing was sent. */
function refuseToken(wasSent: boolean): CatalogueError {
  const error = wasSent ? ', error="invalid_token", error_description="The access token is unknown or expired"' : '';
  const headers = { 'WWW-Authenticate': `Bearer realm="OAuth 2.0"${error}` };
  return OAuthProviderErrors.invalidToken().with({ headers });
}

/** A scope that users may grant and that opens the operation; its module where there is none. */
const scopeNeeded = ({ appScopes = [], module }: Operation): string =>
  (appScopes !== 'any' && appScopes.find((scope) => scope !== PASSWORD_SCOPE)) || module;

/** Answer to applications that asked for more than was granted to them. */
function scopeError({ principal }: Exchange, error: CatalogueError): Buffer | undefined {
  const isScope = error.is(OAuthProviderErrors.insufficientScope);
  return isScope && principal
    ? Buffer.from(JSON.stringify({ error: 'insufficient_scope', scope: error.params[0] }))
    : undefined;
}

/** Methods that clients of the API take for one another. */
const LOOSE_METHODS: ReadonlySet<string> = new Set(['PUT', 'POST']);

/**
 * Module and action say what is meant, as clients of the API do not keep to its methods: PUT or POST stands for the only method of an
 * action, except where credentials are sent. GET, which browsers send by themselves, never stands for a change, but for what they
 * save, whose body stands in the address then, and for reads without a body.
 */
function findForOtherMethod(method: string, methods: ReadonlyMap<HttpMethod, Operation>): Operation | undefined {
  const [only, ...others] = methods.values();
  const isLoose = LOOSE_METHODS.has(method) && others.length === 0 && only?.module.split('/')[0] !== 'login';
  if (method === 'GET' && others.length === 0 && only && mayBeGet(only)) return only;
  return isLoose ? only : undefined;
}

/** Whether an operation changes nothing, and answers a file or has no body. */
const mayBeGet = ({ reads, reply, body }: Operation): boolean => reads === true && (reply.kind === 'file' || !body);

/** Errors that make a whole batch senseless: only those answer it with HTTP 400. */
const BATCH_ERRORS: readonly ErrorFactory[] = [SessionErrors.missing, RequestErrors.brokenJson];

/** Statuses of what is not there and of what must not be read. */
const GONE_STATUSES: ReadonlySet<number> = new Set([401, 403, 404]);

/** Whether pages show what an operation answers. */
const isPicture = (operation: Operation | undefined): boolean => operation?.reply.mediaType === 'image/*';

function statusOf(exchange: Exchange, error: CatalogueError): number {
  if (exchange.operation?.module === 'multiple' && BATCH_ERRORS.some((row) => error.is(row))) return 400;
  // For a page what must not be read is no more there than what does not exist; without a session that is so of pictures alone.
  const isGone = exchange.principal !== undefined || isPicture(exchange.operation);
  if (exchange.isOfPage && isGone && GONE_STATUSES.has(httpStatusOf(error.entry))) return 404;
  return error.entry.edgeStatus ? (error.entry.http ?? 200) : 200;
}
