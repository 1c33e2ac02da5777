import {
  AUTOLOGIN,
  login,
  reply,
  RequestErrors,
  type CallOf,
  type Handler,
  type AutologinObject,
} from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import {
  loginCookies,
  readCookie,
  SessionGuard,
  sessionCookieNames,
  SessionStore,
  staleCookies,
} from '@groupware/sessions';
import { GuestAccess } from '../guests/guest-access';
import { Cascade } from '../login/cascade';
import { RampUp } from '../login/ramp-up';
import { refusal } from '../login/refusal';
import { loginObject, SessionOpener } from '../login/session-opener';
import { merged } from './login.handler';

/** Returns to the session that the browser's cookies name: that of a guest first. */
@Handles(login.autologin)
export class AutologinHandler implements Handler<typeof login.autologin> {
  private readonly guard: SessionGuard;

  constructor(
    private readonly sessions: SessionStore,
    private readonly opener: SessionOpener,
    private readonly cascade: Cascade,
    private readonly rampUp: RampUp,
    private readonly guests: GuestAccess,
  ) {
    this.guard = new SessionGuard(sessions);
  }

  async handle({ query, body, edge }: CallOf<typeof login.autologin>) {
    if (!this.cascade.value(AUTOLOGIN)) throw RequestErrors.actionDisabled('autologin');
    const parameters = merged(query, body);
    const guest = await this.guests.returning(parameters.share, edge!);
    if (guest) return reply<AutologinObject>(loginObject(guest.session), { cookies: guest.cookies });
    const client = this.opener.client(parameters, edge!);
    const names = sessionCookieNames(client.hash, this.sessions.settings.compatNames);
    const id = readCookie(edge!.cookies, names);
    // No automatic login was asked for here: a secret cookie of the same name may belong to a live session and stays.
    if (id === undefined) throw RequestErrors.invalidCookie();
    const session = (await this.sessions.lookUp(id)) ?? (await this.sessions.lookUpAlternative(id));
    const context = { userAgent: edge!.userAgent, headers: edge!.headers };
    try {
      if (!session) throw RequestErrors.invalidCookie();
      this.guard.check(session, { ...context, cookies: edge!.cookies, remoteAddress: edge!.remoteAddress });
    } catch {
      // Whatever is wrong with the cookies, the client must log in again and the cookies must go.
      return refusal<AutologinObject>(RequestErrors.invalidCookie(), edge!, staleCookies(client.hash));
    }
    const { rampup, ...beside } = await this.rampUp.besideLogin(session, parameters);
    const answer = { ...rampup, ...loginObject(session), ...beside };
    return reply(answer, { cookies: loginCookies(session, context, this.sessions.settings) });
  }
}
