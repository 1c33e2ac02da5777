import {
  login,
  reply,
  RequestErrors,
  type CallOf,
  type ClientParameters,
  type EdgeRequest,
  type Handler,
  type LoginBody,
} from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { SESSION_FACTS, SessionStore, type Session } from '@groupware/sessions';
import { GuestAccess, type GuestProof } from '../guests/guest-access';
import { LoginFlow } from '../login/login-flow';
import { LoginTokens } from '../login/login-tokens';
import { RampUp } from '../login/ramp-up';
import { SecondFactors } from '../multifactor/second-factors';
import { loginObject } from '../login/session-opener';

/** Parameters may stand in the body or in the URL; the body wins. */
export function merged<T extends object>(query: T, body: object | undefined): T {
  const given = Object.entries(body ?? {}).filter(([, value]) => value !== undefined && value !== null);
  return { ...query, ...Object.fromEntries(given) };
}

/** Opens a session by login name and password. */
@Handles(login.login)
export class LoginHandler implements Handler<typeof login.login> {
  constructor(
    private readonly flow: LoginFlow,
    private readonly tokens: LoginTokens,
    private readonly rampUp: RampUp,
    private readonly factors: SecondFactors,
    private readonly sessions: SessionStore,
    private readonly guests: GuestAccess,
  ) {}

  async handle({ query, body, edge }: CallOf<typeof login.login>) {
    const parameters = merged(query, body);
    const password = body?.password;
    if (!parameters.name) throw RequestErrors.missingParameter('name');
    if (!password) throw RequestErrors.missingParameter('password');
    if (parameters.share) return this.ofGuest(parameters.share, { name: parameters.name, password }, parameters, edge!);
    const { session: opened, cookies } = await this.flow.byPassword(parameters.name, password, parameters, edge!);
    const session = body?.providerName && body.deviceId ? await this.withFactor(opened, body, edge!) : opened;
    const answer = { ...loginObject(session), ...(await this.tokens.randomFor(session.id)) };
    const beside = await this.rampUp.besideLogin(session, parameters);
    return reply({ ...answer, ...beside }, { cookies });
  }

  /** The session of a named guest, who has no second factors and no data to load first. */
  private async ofGuest(share: string, proof: GuestProof, parameters: ClientParameters, edge: EdgeRequest) {
    const { session, cookies } = await this.guests.byPassword(share, proof, parameters, edge);
    return reply(loginObject(session), { cookies });
  }

  /** The session after the second factor that came with the login; a wrong one leaves no session behind. */
  private async withFactor(session: Session, body: LoginBody, edge: EdgeRequest): Promise<Session> {
    if (session.parameters[SESSION_FACTS.secondFactor] !== 'pending') return session;
    const { providerName = '', deviceId = '', secret_code } = body;
    try {
      await this.factors.finish(session.principal, { providerName, deviceId }, { secret_code }, edge);
    } catch (error) {
      await this.sessions.remove(session.id);
      throw error;
    }
    return (await this.sessions.peek(session.id)) ?? session;
  }
}
