import {
  CatalogueError,
  isCatalogueError,
  DEFAULT_MAX_ITEMS,
  RequestErrors,
  requirePermission,
  SessionErrors,
  type Operation,
  type UserPrincipal,
} from '@groupware/contracts';
import { parseJson } from '../input/arguments';
import { first, type Parameters } from '../input/url';
import { envelopePieces, errorEnvelope } from '../output/envelope';
import { maskSecrets } from '@groupware/service-kit';
import { wholeBody } from '../output/whole-body';
import { readLimited, type CallRunner } from './call';
import { splitJsonList } from '../output/split-json-list';
import { asCatalogueError, type Exchange } from './exchange';

import type { EdgeLog, RawAnswer, SessionGate } from './ports';
import type { RouteTable } from './route-table';
import type { EdgeSettings } from './settings';

/** Reads that run at the same time: the calls of a client's start take about as long as the slowest of them. */
const PARALLEL = 16;

interface Part {
  readonly module: string;
  readonly action: string;
  readonly parameters: Parameters;
  readonly data: unknown;
}

/** A call of a batch, or why there is none. */
type BatchCall = { readonly operation: Operation; readonly part: Part } | CatalogueError;

/** The answer to one call of a batch, JSON text in pieces, and whether the call succeeded. */
interface PartAnswer {
  readonly pieces: readonly Uint8Array[];
  readonly ok: boolean;
}

/** Several calls that are made as one, see `coalesces` of operations. */
interface CoalescedCall {
  readonly data: unknown[];
  /** Place of the elements of each call in the data, by its number in the batch. */
  readonly ranges: Map<number, readonly [start: number, end: number]>;
  /** The elements of the answer, once asked for. */
  elements?: Promise<readonly Uint8Array[]>;
}

const parameterText = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));

/**
 * The module `multiple`: several calls in one request, answered by a bare array of their envelopes in the same order.
 * Calls that change something run alone and in order; reads between two of them run side by side, so a read sees every change
 * before it.
 */
export class Multiple {
  constructor(
    private readonly routes: RouteTable,
    private readonly runner: CallRunner,
    private readonly settings: EdgeSettings,
    private readonly log: EdgeLog,
    private readonly sessions: Pick<SessionGate, 'findUser'>,
  ) {}

  /** Runs the calls of one request, whose session was checked. @returns the pieces of the JSON text of all answers, which may be large */
  async runCalls(exchange: Exchange): Promise<readonly Uint8Array[]> {
    const body = await parseJson(await readLimited(exchange, this.settings.maxBodyBytes, false));
    if (!Array.isArray(body)) throw RequestErrors.badRequest('the body must be a JSON array');
    if (body.length > this.settings.maxMultiple)
      throw RequestErrors.badParameter('body', `more than ${this.settings.maxMultiple} requests`);
    const goOn = first(exchange.parameters, 'continue')?.toLowerCase() !== 'false';
    const answers: (readonly Uint8Array[])[] = [];
    const budget = { bytes: this.settings.maxMultipleBytes };
    let failed = false;
    let waiting: Promise<PartAnswer>[] = [];
    const settle = async (): Promise<void> => {
      for (const { pieces, ok } of await Promise.all(waiting)) {
        if (failed && !goOn) break;
        answers.push(pieces);
        failed ||= !ok;
      }
      waiting = [];
    };
    const calls = body.map((element) => this.resolveOrRefuse(element));
    // Without `continue` each call waits for the one before it.
    const coalesced = goOn ? coalesceCalls(calls) : new Map<number, CoalescedCall>();
    let ended: CatalogueError | undefined;
    for (const [number, wanted] of calls.entries()) {
      const call = ended ?? wanted;
      const isAlone = changesSomething(call);
      // Without `continue` the next call may only start when the one before it succeeded.
      if (waiting.length >= PARALLEL || isAlone || !goOn) await settle();
      if (failed && !goOn) break;
      waiting.push(this.answer(exchange, call, number, readsOnly(call) ? budget : undefined, coalesced.get(number)));
      if (isAlone) await settle();
      if (writes(call) && number < calls.length - 1) ended = await this.refreshUser(exchange);
    }
    await settle();
    return listPieces(answers);
  }

  /**
   * Looks up the user again: a call may have changed the zone, the language, or something else that later ones go by. Answers why
   * there is none, where a call ended the session.
   */
  private async refreshUser(exchange: Exchange): Promise<CatalogueError | undefined> {
    const { principal } = exchange;
    if (principal?.kind !== 'user') return undefined;
    try {
      const user = await this.sessions.findUser(principal.sessionId);
      if (!user) return SessionErrors.unknown(principal.sessionId);
      exchange.principal = user;
    } catch (error) {
      this.log.warn(
        { requestId: exchange.requestId, err: error },
        'user not looked up again within a multiple request',
      );
    }
    return undefined;
  }

  private resolveOrRefuse(element: unknown): BatchCall {
    try {
      return this.resolve(element);
    } catch (error) {
      return asCatalogueError(error);
    }
  }

  private resolve(element: unknown): { operation: Operation; part: Part } {
    if (typeof element !== 'object' || element === null || Array.isArray(element))
      throw RequestErrors.wrongBodyType('an array of objects', 'another element');
    const { module, action, data, ...rest } = element as Record<string, unknown>;
    if (typeof module !== 'string' || module === '') throw RequestErrors.missingParameter('module');
    const exact = this.routes.module(module);
    const found = exact ? undefined : this.routes.moduleWithTail(module);
    const actions = exact ?? found?.routes;
    if (!actions) throw RequestErrors.unknownModule(module);
    const name = typeof action === 'string' ? action : '';
    const methods = actions.get(name);
    if (found && !methods && name === '') throw RequestErrors.unknownModule(module);
    if (!methods)
      throw name === '' ? RequestErrors.missingParameter('action') : RequestErrors.unknownModuleAction(name, module);
    // An action may exist with and without body (export): the data tell which one is meant.
    const candidates = [...methods.values()];
    const given = Object.entries(rest).filter(([, value]) => value !== null);
    const parameters: Record<string, string> = {
      ...Object.fromEntries(given.map(([key, value]) => [key, parameterText(value)])),
      ...this.routes.aliasParameters(module),
      ...(found && { path: module.slice(found.name.length + 1) }),
    };
    const operation = this.routes.select(
      candidates.find((each) => (each.body !== undefined) === (data !== undefined)) ?? candidates[0]!,
      (parameter) => parameters[parameter],
    );
    // A path below a module is known to operations that take it alone.
    if (found && !operation.tail) throw RequestErrors.unknownModule(module);
    const unsuitable =
      !(operation.auth === 'session' || isForEverybody(operation)) ||
      operation.module === 'multiple' ||
      operation.reply.kind === 'stream' ||
      operation.reply.kind === 'file' ||
      operation.body?.kind === 'upload' ||
      operation.body?.kind === 'stored';
    if (unsuitable) throw RequestErrors.badBodyData(`action '${name}' of module '${module}' is not allowed here`);
    return { operation, part: { module, action: name, parameters, data } };
  }

  /** The part of a coalesced answer that belongs to one of its calls; undefined when that call must be made alone to learn why. */
  private async takeShare(
    exchange: Exchange,
    operation: Operation,
    part: Part & { readonly number: number },
    coalesced: CoalescedCall,
  ): Promise<RawAnswer | undefined> {
    const load = async () => {
      const { body } = await this.runner.runPart(exchange, operation, { ...part, data: coalesced.data });
      return splitJsonList(await wholeBody(body));
    };
    try {
      const elements = await (coalesced.elements ??= load());
      if (elements.length !== coalesced.data.length) return undefined;
      const own = elements.slice(...coalesced.ranges.get(part.number)!);
      return { body: Buffer.concat(listPieces(own.map((element) => [element]))) };
    } catch {
      return undefined;
    }
  }

  private async answer(
    exchange: Exchange,
    call: BatchCall,
    number: number,
    budget?: { bytes: number },
    coalesced?: CoalescedCall,
  ): Promise<PartAnswer> {
    try {
      if (call instanceof CatalogueError) throw call;
      const { operation, part } = call;
      requirePermission(operation, exchange.principal as UserPrincipal);
      const answer =
        (coalesced && (await this.takeShare(exchange, operation, { number, ...part }, coalesced))) ??
        (await this.runner.runPart(exchange, operation, { number, ...part }));
      const data = await wholeBody(answer.body);
      // Replies of writes are sent in any case.
      if (budget && data.length > budget.bytes) throw RequestErrors.batchTooLarge(this.settings.maxMultipleBytes);
      if (budget) budget.bytes -= data.length;
      if (operation.reply.kind === 'plain') return { pieces: [data.length > 0 ? data : Buffer.from('{}')], ok: true };
      exchange.warn(answer.warnings);
      return { pieces: envelopePieces(data, { ...answer, locale: exchange.locale }), ok: true };
    } catch (raw) {
      const error = asCatalogueError(withoutLogout(raw, call));
      this.log.warn(
        {
          requestId: exchange.requestId,
          error_id: error.errorId,
          code: error.code,
          detail: maskSecrets(error.message),
          err: error.details.cause,
        },
        'part of a multiple request failed',
      );
      const stack = this.settings.showsStack(exchange.principal);
      return { pieces: [errorEnvelope(error, exchange.locale, { stack })], ok: false };
    }
  }
}

const readsOnly = (call: BatchCall): boolean =>
  !(call instanceof CatalogueError) && (call.operation.http === 'GET' || call.operation.reads === true);

const writes = (call: BatchCall): boolean => !(call instanceof CatalogueError) && !readsOnly(call);

/** Whether a call changes something, such as a GET that marks a mail as read or one that must not be repeated. */
const changesSomething = (call: BatchCall): boolean =>
  call instanceof CatalogueError ||
  !readsOnly(call) ||
  call.operation.repeatable === false ||
  call.operation.reads === false;

/** Finds the calls between two writes that can be made as one, by their numbers. */
function coalesceCalls(calls: readonly BatchCall[]): Map<number, CoalescedCall> {
  const byNumber = new Map<number, CoalescedCall>();
  let open = new Map<string, CoalescedCall>();
  for (const [number, call] of calls.entries()) {
    if (changesSomething(call)) open = new Map();
    if (call instanceof CatalogueError || !call.operation.coalesces || !Array.isArray(call.part.data)) continue;
    const { operation, part } = call;
    const data = part.data as unknown[];
    const key = `${operation.subject} ${JSON.stringify(part.parameters)}`;
    const known: CoalescedCall = open.get(key) ?? { data: [], ranges: new Map() };
    if (known.data.length + data.length > (operation.body?.maxItems ?? DEFAULT_MAX_ITEMS)) continue;
    known.ranges.set(number, [known.data.length, known.data.length + data.length]);
    known.data.push(...data);
    open.set(key, known);
    byNumber.set(number, known);
  }
  return new Map([...byNumber].filter(([, { ranges }]) => ranges.size > 1));
}

/** Whether an operation needs no session, and opens none. */
const isForEverybody = ({ auth, module, reply }: Operation): boolean =>
  auth === 'none' && reply.kind === 'value' && module !== 'login';

/**
 * An answer inside a batch has no status of its own: there the code of an outage of the session store would be taken for the
 * end of the session, so the outage is told as one of the module.
 */
function withoutLogout(error: unknown, call: BatchCall): unknown {
  if (!isCatalogueError(error, SessionErrors.storeDown)) return error;
  return RequestErrors.serviceUnavailable('part' in call ? call.part.module : 'multiple').with({ cause: error });
}

const OPENING = Buffer.from('[');
const COMMA = Buffer.from(',');
const CLOSING = Buffer.from(']');

/** Text of a JSON list of texts, each of which is in pieces. */
const listPieces = (elements: readonly (readonly Uint8Array[])[]): Uint8Array[] => [
  OPENING,
  ...elements.flatMap((pieces, index) => (index === 0 ? pieces : [COMMA, ...pieces])),
  CLOSING,
];
