import { allowCallers, type Access } from './access';
import type { AppAccess } from './app-scope';
import type { AdminCaller, Auth, EdgeRequest, Principal, PrincipalOf, RestCallers, UserPrincipal } from './principal';
import type { FileReply, JsonText, Reply, UploadedFile } from './reply';
import type { Property } from './properties';
import type { ErrorFactory } from './errors';
import { contextFieldOf, type FieldType, type Model } from './field';

/** HTTP methods in use. */
export type HttpMethod = 'GET' | 'PUT' | 'POST' | 'DELETE' | 'PATCH';

/** How the request body is read. */
export type BodyKind = 'json' | 'jsonList' | 'jsonOneOrList' | 'jsonValue' | 'form' | 'upload' | 'text' | 'stored';

/** Description of a request body. `T` is what the handler sees. */
export interface BodySpec<T = unknown> {
  readonly kind: BodyKind;
  readonly model?: Model;
  /** Kind of the elements of a list without model. */
  readonly items?: FieldType;
  readonly required: boolean;
  /** Largest body in bytes; default: the gateway's general limit. */
  readonly maxBytes?: number;
  /** Server's property with the largest upload in bytes; -1: the gateway's general limit, 0: none. */
  readonly limit?: Property<number>;
  /** Error for an upload of more bytes than that: the limit; default UPL-0005. */
  readonly tooLarge?: ErrorFactory;
  readonly maxItems?: number;
  /** Largest field of an upload beside its files, bytes; default: the gateway's general limit. */
  readonly maxFieldBytes?: number;
  /** Uploaded files come with their MD5. */
  readonly hashesMd5?: boolean;
  /**
   * Texts too long for a message of the bus go as files: a body as the one of the field {@link LONG_BODY_FIELD}, without `body`,
   * and a field of an upload as one of its name.
   */
  readonly mayBeLong?: boolean;
  /** Error for texts with a column that are too long: name, limit, length; default SVL-0031. */
  readonly tooLong?: ErrorFactory;
  /** Most characters of a text by the name of its field, for that error, where the service counts them and the field takes more. */
  readonly textLimit?: (name: string) => number;
  /** Error for a body that is no JSON; default SVL-0029. Its first parameter says why. */
  readonly broken?: ErrorFactory;
  readonly value?: T;
}

/** Field of the file that a long body is. */
export const LONG_BODY_FIELD = 'body';

/** How the result is written. The list is closed: the gateway has one writer for each kind. */
export type ReplyKind = 'one' | 'many' | 'rows' | 'value' | 'plain' | 'file' | 'page' | 'stream' | 'none';

/** Description of a result. `T` is what the handler returns and a typed client receives. */
export interface ReplySpec<T = unknown> {
  readonly kind: ReplyKind;
  readonly model?: Model;
  /** A `plain` result is an array of objects of the model. */
  readonly list?: boolean;
  /** HTTP status of a success of a REST operation; default 200. */
  readonly status?: number;
  /** Media type of `file` replies. */
  readonly mediaType?: string;
  readonly doc?: string;
  readonly value?: T;
}

/** Names of services, or every one. */
export type CallingServices = readonly string[] | 'everyService';

/** Options that `action`, `rest` and `internal` have in common. */
export interface OperationOptions<Q extends object, B, R> {
  /** Documentation for client developers. */
  readonly doc: string;
  /**
   * Requirements beyond being a caller: rights that the handler has checked before a reply, and before a commit those to write
   * (ADR 0018). A REST operation for operators may leave it out where `callers` says everything.
   */
  readonly access?: Access;
  readonly query?: Model<Q>;
  readonly body?: BodySpec<B>;
  readonly reply: ReplySpec<R>;
  /**
   * Changes nothing, although its method is not GET: it may be repeated, and batches run it beside others. False: a GET that changes
   * something and may be repeated.
   */
  readonly reads?: boolean;
  /**
   * The body is a list and the answer has an element for each of its elements, whatever stands beside them: batches coalesce calls
   * that differ in their bodies alone into one.
   */
  readonly coalesces?: boolean;
  /** True when the same call may be repeated after a lost answer. Default: GET yes, everything else no. */
  readonly repeatable?: boolean;
  /**
   * How a call that is sent twice is done once. Default, unless it is repeatable: by an idempotency key, under which the kit notes
   * in each transaction what it returned (ADR 0014). `effect`: the same, but the second reply tells of what is there by then.
   * `own`: the handler does it, where the client sends a key. `claimed`: its effect is not in the database; where the client sends a
   * key it is begun once under it, else it is never repeated. `none`: such a call is never repeated, as its reply holds a secret or
   * it counts attempts.
   */
  readonly idempotency?: 'effect' | 'own' | 'claimed' | 'none';
  /** Error for an idempotency key that was used for a different request; default SVL-0036. */
  readonly keyReused?: ErrorFactory;
  /** Longest time the call may take in ms; default: the gateway's general deadline. */
  readonly deadlineMs?: number;
  /** Error for a parameter with a bad value; default SVL-0010. */
  readonly badParameter?: ErrorFactory;
  /** Errors that the operation answers by design: documented, and each must be seen in an end-to-end test. */
  readonly errors?: readonly ErrorFactory[];
  /** The handler sees client address, user agent and cookies, and may set cookies. */
  readonly edge?: boolean;
  /** The query is signed as a whole: the handler sees it as it was sent, too. */
  readonly signedQuery?: boolean;
  /** Open to guests; every other operation refuses them with SVL-0016. */
  readonly guests?: boolean;
  /**
   * The public session, of a cookie or the parameter `public_session`, is enough: for addresses that stand in pages. A picture that a
   * page may not see is answered with 404, also without a session.
   */
  readonly publicSession?: boolean;
  /** The rest of the path behind the name of the module is taken as the parameter `path`. */
  readonly tail?: boolean;
  /** It may answer a file, whose name may stand behind the name of the module in the path, as that of a file reply. */
  readonly namedFile?: boolean;
  /** Further paths below the base that lead to a module call without action; `{name}` stands for one segment, taken as that parameter. */
  readonly paths?: readonly string[];
  /** Uploads are answered as JSON, errors too, never by a page. */
  readonly plainAnswers?: boolean;
  /**
   * Opens a session, and the edge adds its start data where the client asks for them: under `rampup`, or (`both`) also beside the
   * session.
   */
  readonly startData?: 'rampup' | 'both';
  /** Open also while the second factor of the session is still to come. */
  readonly beforeSecondFactor?: boolean;
  /** The handler also sees the credentials of an HTTP Basic header; the gateway counts such calls as logins. */
  readonly credentials?: boolean;
  /** The handler also sees the credentials of an HTTP Basic header, which are those of an application and count as no login. */
  readonly clientCredentials?: boolean;
  /** The capability a user needs; without it the call is refused with SVL-0016, or with {@link withoutCapability}. */
  readonly capability?: string;
  /** Error for users without the capability, which is its parameter. */
  readonly withoutCapability?: ErrorFactory;
  /** Sessions and passwords of applications that it is open to; an operation that says nothing is closed to all of them. */
  readonly appScopes?: AppAccess;
  /** Error of a REST call with missing or wrong credentials; default REST-0401. */
  readonly unauthorized?: ErrorFactory;
  /** Credentials of resellers who may not call the operation count as wrong: 401 instead of REST-0403. */
  readonly hidesFromResellers?: boolean;
  /** Errors of a REST call are `{error}` with the text alone, as the API documents for clients that are no operators. */
  readonly errorTextOnly?: boolean;
  /** Errors with status 400 also have `title` and `status`, the fields of a problem document (RFC 9457). */
  readonly problemDocument?: boolean;
  /** Only on the public listener (`public`), only on the internal one (`internal`). Default: actions public, REST internal. */
  readonly listener?: 'public' | 'internal';
}

/**
 * A parameter whose value decides among operations with one action and method, which several services answer. A call whose value
 * none accepts goes to the one without selector, if there is one.
 */
export interface Selector {
  /** Name of a parameter of the query. */
  readonly parameter: string;
  /** Text that documents show instead of the value. */
  readonly label: string;
  /** Some value that is accepted. */
  readonly sample: string;
  readonly accepts: (value: string) => boolean;
}

/** Selects by the exact value of a parameter, which may have other spellings. */
export const selectByValue = (parameter: string, value: string, ...others: readonly string[]): Selector => ({
  parameter,
  label: value,
  sample: value,
  accepts: (candidate) => candidate === value || others.includes(candidate),
});

/** An operation as everything else in the system sees it. */
export interface Operation<
  A extends Auth = Auth,
  Q extends object = object,
  B = unknown,
  R = unknown,
> extends OperationOptions<Q, B, R> {
  readonly kind: 'action' | 'rest' | 'internal';
  readonly auth: A;
  readonly access: Access;
  readonly http: HttpMethod;
  /** Module part of the URL (`calendar`, `user/me`), or the group of a REST operation. */
  readonly module: string;
  /** Key within the module; unique there. Names the handler file and the subject. */
  readonly name: string;
  /** Value of `action` in the URL; null when the module is called without one. */
  readonly action: string | null;
  /** Sets a module call apart from others with the same action and method. */
  readonly selector?: Selector;
  /** Path of a REST operation with `{name}` places. */
  readonly path?: string;
  /** Places of the path, declared as fields of a model. */
  readonly params?: Model;
  /** Callers of a REST operation. */
  readonly callers?: RestCallers;
  /** The services that may call an operation between services. */
  readonly calledBy?: CallingServices;
  /** The service that answers: queue group and process. */
  readonly service: string;
  /** Subject on the bus, without the installation's prefix. */
  readonly subject: string;
  /** Marks a type only. */
  readonly types?: { query: Q; body: B; result: R };
}

type Draft<A extends Auth, Q extends object, B, R> = Omit<
  Operation<A, Q, B, R>,
  'module' | 'name' | 'service' | 'subject' | 'action'
> & { readonly action?: string | null };

interface ActionOptions<Q extends object, B, R> extends OperationOptions<Q, B, R> {
  readonly http: HttpMethod;
  readonly access: Access;
  /** Value of `action` in the URL when it is not the key; null for a module that is called without one. */
  readonly action?: string | null;
  readonly selector?: Selector;
}

/** A module call: `{base}/<module>?action=<name>`. */
export function action<Q extends object = object, B = undefined, R = unknown>(
  options: ActionOptions<Q, B, R> & { auth: 'none' },
): Draft<'none', Q, B, R>;
export function action<Q extends object = object, B = undefined, R = unknown>(
  options: ActionOptions<Q, B, R> & { auth?: 'session' },
): Draft<'session', Q, B, R>;
export function action<Q extends object, B, R>(
  options: ActionOptions<Q, B, R> & { auth?: 'session' | 'none' },
): Draft<'session' | 'none', Q, B, R> {
  const { errors = [], badParameter, auth = 'session' } = options;
  const declared = badParameter && !errors.includes(badParameter) ? [...errors, badParameter] : errors;
  return { listener: 'public', ...options, kind: 'action', auth, errors: declared };
}

interface RestOptions<Q extends object, B, R> extends OperationOptions<Q, B, R> {
  readonly http: HttpMethod;
  readonly path: string;
}

/** Callers who reach everything they can name: the gateway has checked that the context of the path is theirs. */
const TRUSTED_CALLERS: ReadonlySet<string> = new Set(['master', 'resellerOfContext', 'contextAdmin', 'service']);
const BY_CALLERS = allowCallers('the gateway lets its callers through, and those of a context to that context only');

const AUTH_OF: Readonly<Record<string, 'none' | 'userBasic'>> = { anybody: 'none', user: 'userBasic' };

/**
 * An operation of the administrative REST API. Path parameters are fields of `params`, merged into the query object.
 * @param options `callers` says who may call it: there is no default. `access` may be missing where callers alone decide
 */
export function rest<Q extends object = object, B = undefined, R = unknown>(
  options: RestOptions<Q, B, R> & { callers: readonly ['anybody']; params?: Model },
): Draft<'none', Q, B, R>;
export function rest<Q extends object = object, B = undefined, R = unknown>(
  options: RestOptions<Q, B, R> & { callers: readonly ['user']; params?: Model },
): Draft<'userBasic', Q, B, R>;
export function rest<Q extends object = object, B = undefined, R = unknown>(
  options: RestOptions<Q, B, R> & { callers: readonly AdminCaller[]; params?: Model },
): Draft<'admin', Q, B, R>;
export function rest<Q extends object, B, R>(
  options: RestOptions<Q, B, R> & { callers: RestCallers; params?: Model },
): Draft<Auth, Q, B, R> {
  return declareRest(options);
}

function declareRest<Q extends object, B, R>(
  options: RestOptions<Q, B, R> & { callers: RestCallers; params?: Model },
): Draft<Auth, Q, B, R> {
  const { callers, params, path } = options;
  const namesContext = params !== undefined && contextFieldOf(params) !== undefined;
  const needsContext = callers.some((caller) => caller === 'resellerOfContext' || caller === 'contextAdmin');
  if (callers.length === 0 || (needsContext && !namesContext))
    throw new Error(`${options.http} ${path}: nobody may call it, or its callers depend on a context it does not name`);
  if (!options.access && !callers.every((caller) => TRUSTED_CALLERS.has(caller)))
    throw new Error(`${options.http} ${path}: its callers do not say all about access`);
  return {
    listener: 'internal',
    access: BY_CALLERS,
    ...options,
    kind: 'rest',
    auth: AUTH_OF[callers[0]] ?? 'admin',
    action: null,
  };
}

/** The same with typed places of the path, which are merged into the query: handlers see one object. */
export function restAt<P extends object, Q extends object = object, B = undefined, R = unknown>(
  params: Model<P>,
  options: RestOptions<Q, B, R> & { callers: readonly ['anybody'] },
): Draft<'none', P & Q, B, R>;
export function restAt<P extends object, Q extends object = object, B = undefined, R = unknown>(
  params: Model<P>,
  options: RestOptions<Q, B, R> & { callers: readonly AdminCaller[] },
): Draft<'admin', P & Q, B, R>;
export function restAt<P extends object, Q extends object, B, R>(
  params: Model<P>,
  options: RestOptions<Q, B, R> & { callers: RestCallers },
): Draft<Auth, P & Q, B, R> {
  const query = options.query as unknown as Model<P & Q> | undefined;
  return declareRest<P & Q, B, R>({ ...options, params, query });
}

/**
 * An operation between services.
 * @param options `calledBy` names the services that may call it; there is no default
 */
export function internal<Q extends object = object, R = unknown>(
  options: OperationOptions<Q, undefined, R> & { calledBy: CallingServices; access: Access },
): Draft<'internal', Q, undefined, R> {
  return { ...options, kind: 'internal', auth: 'internal', http: 'POST', action: null };
}

/** A module: its operations by name. */
export type ModuleContract<T extends Record<string, unknown> = Record<string, Operation>> = T & {
  readonly [MODULE]: { readonly name: string; readonly service: string };
};

/** Key under which a contract keeps its own name. */
export const MODULE = Symbol('module');

type Finished<D> = D extends Draft<infer A, infer Q, infer B, infer R> ? Operation<A, Q, B, R> : never;

/**
 * Declares a module (or a part of one: parts of the same name may live in several services).
 * @param service the service that answers; default: the module's name.
 */
export function defineModule<T extends Record<string, Draft<Auth, never, never, never> | object>>(
  name: string,
  drafts: T,
  options: { service?: string } = {},
): ModuleContract<{ readonly [K in keyof T]: Finished<T[K]> }> {
  const service = options.service ?? name;
  const operations = Object.fromEntries(
    Object.entries(drafts).map(([key, draft]) => {
      const { action: wire, ...rest } = draft as Draft<Auth, object, unknown, unknown>;
      const operation: Operation = {
        repeatable: rest.http === 'GET' || rest.reads === true,
        ...rest,
        module: name,
        name: key,
        action: rest.kind === 'action' ? (wire === undefined ? key : wire) : null,
        service,
        subject: `svc.${name.replaceAll('/', '-').replace(/[{}]/g, '')}.${key}`,
      };
      return [key, operation];
    }),
  );
  return Object.assign(operations, { [MODULE]: { name, service } }) as unknown as ModuleContract<{
    readonly [K in keyof T]: Finished<T[K]>;
  }>;
}

/** The operations of a module contract. */
export const operationsOf = (contract: ModuleContract): Operation[] => Object.values<Operation>(contract);

/** Type that the query of an operation is parsed into. */
export type QueryOf<O> = O extends Operation<Auth, infer Q, infer _B, infer _R> ? Q : never;
/** Type that the body of an operation is parsed into. */
export type BodyOf<O> = O extends Operation<Auth, infer _Q, infer B, infer _R> ? B : never;
/** Type that an operation returns. */
export type ResultOf<O> = O extends Operation<Auth, infer _Q, infer _B, infer R> ? R : never;

/** One call as a handler sees it. */
export interface CallOf<O> {
  readonly principal: O extends Operation<infer A, infer _Q, infer _B, infer _R> ? PrincipalOf<A> : Principal;
  /** Query and path parameters. */
  readonly query: QueryOf<O>;
  readonly body: BodyOf<O>;
  /** Files of a multipart request or the one of a `stored` body, already in the file store. */
  readonly files: readonly UploadedFile[];
  /** Present when the operation asks for `edge`. */
  readonly edge?: EdgeRequest;
  /** Point in time (ms UTC) after which no caller waits for the answer. */
  readonly deadline: number;
  readonly requestId: string;
  readonly idempotencyKey?: string;
  /** Aborted at the deadline and when the caller went away. */
  readonly signal: AbortSignal;
}

/** A request of a user, as far as calls to other services need it. */
export interface UserRequest {
  readonly principal: UserPrincipal;
  /** ms UTC */
  readonly deadline: number;
  readonly requestId: string;
  readonly signal: AbortSignal;
}

/** Return value of a handler: the result, the result with timestamp and the like, ready JSON, or a file. */
export type HandlerResult<O> = ResultOf<O> | Reply<ResultOf<O>> | JsonText | FileReply;

/** The handler of one operation: one class, one file, named as the wire names the action. */
export interface Handler<O> {
  handle(call: CallOf<O>): Promise<HandlerResult<O>>;
}
