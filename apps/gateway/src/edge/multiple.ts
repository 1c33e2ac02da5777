import { CatalogueError, RequestErrors, SessionErrors, type Operation, type UserPrincipal } from '@groupware/contracts';
import { requirePermission } from '../access/permission';
import { parseJson } from '../input/arguments';
import { first, type Parameters } from '../input/url';
import { envelope, errorEnvelope } from '../output/envelope';
import { maskSessions } from '@groupware/service-kit';
import { wholeBody } from '../output/whole-body';
import { readLimited, type CallRunner } from './call';
import { asCatalogueError, type Exchange } from './exchange';

import type { EdgeLog, RawAnswer } from './ports';
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

const parameterText = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));

/**
 * The module `multiple`: several calls in one request, answered by a bare array of their envelopes in the same order.
 * Writes run alone and in order; reads between two writes run side by side, so a read sees every write before it.
 */
export class Multiple {
  constructor(
    private readonly routes: RouteTable,
    private readonly runner: CallRunner,
    private readonly settings: EdgeSettings,
    private readonly log: EdgeLog,
  ) {}

  /** Runs the calls of one request; its session was checked. */
  async run(exchange: Exchange): Promise<RawAnswer> {
    const body = await parseJson(await readLimited(exchange, this.settings.maxBodyBytes, false));
    if (!Array.isArray(body)) throw RequestErrors.badRequest('the body must be a JSON array');
    if (body.length > this.settings.maxMultiple)
      throw RequestErrors.badParameter('body', `more than ${this.settings.maxMultiple} requests`);
    const goOn = first(exchange.parameters, 'continue')?.toLowerCase() !== 'false';
    const answers: Buffer[] = [];
    const budget = { bytes: this.settings.maxMultipleBytes };
    let failed = false;
    let waiting: Promise<{ bytes: Buffer; ok: boolean }>[] = [];
    const settle = async (): Promise<void> => {
      for (const { bytes, ok } of await Promise.all(waiting)) {
        if (failed && !goOn) break;
        answers.push(bytes);
        failed ||= !ok;
      }
      waiting = [];
    };
    for (const [number, element] of (body as unknown[]).entries()) {
      let call: { operation: Operation; part: Part } | CatalogueError;
      try {
        call = this.resolve(element);
      } catch (error) {
        call = asCatalogueError(error);
      }
      const isRead =
        !(call instanceof CatalogueError) && (call.operation.http === 'GET' || call.operation.reads === true);
      // Without `continue` the next call may only start when the one before it succeeded.
      if (waiting.length >= PARALLEL || !isRead || !goOn) await settle();
      if (failed && !goOn) break;
      waiting.push(this.answer(exchange, call, number, isRead ? budget : undefined));
      if (!isRead) await settle();
    }
    await settle();
    return { body: Buffer.concat([Buffer.from('['), ...join(answers), Buffer.from(']')]) };
  }

  private resolve(element: unknown): { operation: Operation; part: Part } {
    if (typeof element !== 'object' || element === null || Array.isArray(element))
      throw RequestErrors.wrongBodyType('an array of objects', 'another element');
    const { module, action, data, ...rest } = element as Record<string, unknown>;
    if (typeof module !== 'string' || module === '') throw RequestErrors.missingParameter('module');
    const actions = this.routes.module(module);
    if (!actions) throw RequestErrors.unknownModule(module);
    const name = typeof action === 'string' ? action : '';
    const methods = actions.get(name);
    if (!methods)
      throw name === '' ? RequestErrors.missingParameter('action') : RequestErrors.unknownModuleAction(name, module);
    // An action may exist with and without body (export): the data tell which one is meant.
    const candidates = [...methods.values()];
    const operation = candidates.find((each) => (each.body !== undefined) === (data !== undefined)) ?? candidates[0]!;
    const unsuitable =
      !(operation.auth === 'session' || isForEverybody(operation)) ||
      operation.service === 'gateway' ||
      operation.reply.kind === 'file' ||
      operation.body?.kind === 'upload' ||
      operation.body?.kind === 'stored';
    if (unsuitable) throw RequestErrors.badBodyData(`action '${name}' of module '${module}' is not allowed here`);
    const parameters = Object.fromEntries(
      Object.entries(rest)
        .filter(([, value]) => value !== null)
        .map(([key, value]) => [key, parameterText(value)]),
    );
    return { operation, part: { module, action: name, parameters, data } };
  }

  private async answer(
    exchange: Exchange,
    call: { operation: Operation; part: Part } | CatalogueError,
    number: number,
    budget?: { bytes: number },
  ): Promise<{ bytes: Buffer; ok: boolean }> {
    try {
      if (call instanceof CatalogueError) throw call;
      const { operation, part } = call;
      requirePermission(operation, exchange.principal as UserPrincipal);
      const answer = await this.runner.runPart(exchange, operation, { number, ...part });
      const data = await wholeBody(answer.body);
      // What was written is told in any case.
      if (budget && data.length > budget.bytes) throw RequestErrors.batchTooLarge(this.settings.maxMultipleBytes);
      if (budget) budget.bytes -= data.length;
      if (operation.reply.kind === 'plain')
        return { bytes: data.length > 0 ? Buffer.from(data) : Buffer.from('{}'), ok: true };
      exchange.warn(answer.warnings);
      return { bytes: envelope(data, { ...answer, locale: exchange.locale }), ok: true };
    } catch (raw) {
      const error = asCatalogueError(withoutLogout(raw, call));
      this.log.warn(
        {
          requestId: exchange.requestId,
          error_id: error.errorId,
          code: error.code,
          detail: maskSessions(error.message),
          err: error.details.cause,
        },
        'part of a multiple request failed',
      );
      const stack = this.settings.showsStack(exchange.principal);
      return { bytes: errorEnvelope(error, exchange.locale, { stack }), ok: false };
    }
  }
}

/** Whether an operation needs no session, and opens none. */
const isForEverybody = ({ auth, module, reply }: Operation): boolean =>
  auth === 'none' && reply.kind === 'value' && module !== 'login';

/**
 * An answer inside a batch has no status of its own: there the code of an outage of the session store would be taken for the
 * end of the session, so the outage is told as one of the module.
 */
function withoutLogout(error: unknown, call: { part: Part } | CatalogueError): unknown {
  if (!(error instanceof CatalogueError) || !error.is(SessionErrors.storeDown)) return error;
  return RequestErrors.serviceUnavailable('part' in call ? call.part.module : 'multiple').with({ cause: error });
}

function join(parts: readonly Buffer[]): Buffer[] {
  const comma = Buffer.from(',');
  return parts.flatMap((part, index) => (index === 0 ? [part] : [comma, part]));
}
