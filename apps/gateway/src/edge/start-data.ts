import {
  CatalogueError,
  errorObject,
  login,
  requirePermission,
  type Operation,
  type UserPrincipal,
} from '@groupware/contracts';
import { first } from '../input/url';
import { wholeBody } from '../output/whole-body';
import type { CallRunner } from './call';
import { asCatalogueError, type Exchange } from './exchange';
import type { RawAnswer, SessionGate } from './ports';

const isTrue = (text: string | undefined): boolean => text === 'true' || text === '1';

/**
 * Adds the start data of a client to the answer that opens a session: what `login?action=rampup` answers to its user, who is known
 * to the edge only now. Whatever becomes of it, the login stands.
 */
export class StartData {
  constructor(
    private readonly runner: CallRunner,
    private readonly sessions: SessionGate,
  ) {}

  /** The answer with the start data, where the client asks for them. */
  async add(exchange: Exchange, operation: Operation, answer: RawAnswer): Promise<RawAnswer> {
    if (!isTrue(first(exchange.parameters, 'rampup')) || (answer.status ?? 200) !== 200) return answer;
    const opened = parseObject(await wholeBody(answer.body));
    const { session } = opened;
    if (typeof session !== 'string') return answerWith(answer, opened);
    const principal = await this.sessions.findUser(session);
    if (!principal || !this.mayAsk(principal)) return answerWith(answer, opened);
    const rampup = await this.load(exchange, principal);
    // The notes on logins have the parts beside the session, existing clients look for them under their name.
    const beside = operation.startData === 'both' ? rampup : {};
    return answerWith(answer, { ...beside, ...opened, rampup });
  }

  private mayAsk(principal: UserPrincipal): boolean {
    try {
      requirePermission(login.rampup, principal);
      return true;
    } catch (error) {
      if (error instanceof CatalogueError) return false;
      throw error;
    }
  }

  private async load(exchange: Exchange, principal: UserPrincipal): Promise<Record<string, unknown>> {
    const { parameters } = exchange;
    const rampUpFor = first(parameters, 'rampUpFor') ?? first(parameters, 'rampupFor');
    try {
      exchange.principal = principal;
      const found = await this.runner.runPart(exchange, login.rampup, {
        number: 0,
        parameters: rampUpFor === undefined ? {} : { rampUpFor },
        data: undefined,
      });
      return parseObject(await wholeBody(found.body));
    } catch (error) {
      const failure = asCatalogueError(error);
      exchange.warn([failure]);
      return { errors: { rampup: errorObject(failure, exchange.locale) } };
    }
  }
}

const parseObject = (bytes: Uint8Array): Record<string, unknown> =>
  JSON.parse(Buffer.from(bytes).toString('utf8')) as Record<string, unknown>;

const answerWith = (answer: RawAnswer, data: object): RawAnswer => ({
  ...answer,
  body: Buffer.from(JSON.stringify(data)),
});
