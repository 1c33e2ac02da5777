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
import { AnnouncedCapabilities, Handles } from '@groupware/service-kit';
import { SESSION_FACTS, SessionStore, type Session } from '@groupware/sessions';
import { GuestAccess, type GuestCredentials } from '../guests/guest-access';
import { LoginFlow } from '../authentication/login-flow';
import { LoginTokens } from '../authentication/login-tokens';
import { moduleSettingsBeside } from '../authentication/module-settings';
import { SecondFactors } from '../multifactor/second-factors';
import { toGuestLoginObject, toLoginObject } from '../authentication/session-opener';

/** Merges parameters of URL and body; the body takes precedence. */
export function mergeParameters<T extends object>(query: T, body: object | undefined): T {
  const given = Object.entries(body ?? {}).filter(([, value]) => value !== undefined && value !== null);
  return { ...query, ...Object.fromEntries(given) };
}

/** Opens a session by login name and password. */
@Handles(login.login)
export class LoginHandler implements Handler<typeof login.login> {
  constructor(
    private readonly flow: LoginFlow,
    private readonly tokens: LoginTokens,
    private readonly factors: SecondFactors,
    private readonly sessions: SessionStore,
    private readonly guests: GuestAccess,
    private readonly announced: AnnouncedCapabilities,
  ) {}

  async handle({ query, body, edge }: CallOf<typeof login.login>) {
    const parameters = mergeParameters(query, body);
    const password = body?.password;
    if (!parameters.name) throw RequestErrors.missingParameter('name');
    if (!password) throw RequestErrors.missingParameter('password');
    if (parameters.share)
      return this.loginGuest(parameters.share, { name: parameters.name, password }, parameters, edge!);
    const { session: opened, cookies } = await this.flow.loginByPassword(parameters.name, password, parameters, edge!);
    const session = body && (await this.hasFactor(opened, body)) ? await this.showFactor(opened, body, edge!) : opened;
    const answer = { ...toLoginObject(session), ...(await this.tokens.issueRandomToken(session.id)) };
    return reply({ ...answer, ...moduleSettingsBeside(session, parameters, this.announced) }, { cookies });
  }

  /** Logs in a named guest, who has no second factors. */
  private async loginGuest(share: string, proof: GuestCredentials, parameters: ClientParameters, edge: EdgeRequest) {
    const { session, cookies, place } = await this.guests.loginByPassword(share, proof, parameters, edge);
    return reply(toGuestLoginObject(session, place), { cookies });
  }

  /** Whether the login shows a second factor that the session waits for: one of a named device, or a code of any. */
  private async hasFactor({ parameters, principal }: Session, body: LoginBody): Promise<boolean> {
    if (parameters[SESSION_FACTS.secondFactor] !== 'pending') return false;
    if (body.providerName && body.deviceId) return true;
    return Boolean(body.secret_code) && (await this.factors.listCodeDevices(principal)).length > 0;
  }

  /** Checks the second factor sent with the login; a wrong one closes the session. */
  private async showFactor(session: Session, body: LoginBody, edge: EdgeRequest): Promise<Session> {
    const { providerName, deviceId, secret_code } = body;
    const { principal } = session;
    try {
      if (providerName && deviceId)
        await this.factors.finishAuthentication(principal, { providerName, deviceId }, { secret_code }, edge);
      else await this.factors.finishAuthenticationByCode(principal, secret_code ?? '', edge);
    } catch (error) {
      await this.sessions.removeSession(session.id);
      throw error;
    }
    return (await this.sessions.peek(session.id)) ?? session;
  }
}
