import {
  AUTOLOGIN,
  hasOidcAutologin,
  login,
  reply,
  RequestErrors,
  type CallOf,
  type Handler,
  type AutologinObject,
} from '@groupware/contracts';
import { AnnouncedCapabilities, Handles, Properties } from '@groupware/service-kit';
import {
  createLoginCookies,
  findCookie,
  SessionGuard,
  sessionCookieNames,
  SessionStore,
  createStaleCookieRemovals,
} from '@groupware/sessions';
import { GuestAccess } from '../guests/guest-access';
import { Cascade } from '../configuration/cascade';
import { moduleSettingsBeside } from '../authentication/module-settings';
import { toErrorReply } from '../authentication/error-reply';
import { toLoginObject, SessionOpener } from '../authentication/session-opener';
import { mergeParameters } from './login.handler';

/** Returns to the session that the browser's cookies name: that of a guest first. */
@Handles(login.autologin)
export class AutologinHandler implements Handler<typeof login.autologin> {
  private readonly guard: SessionGuard;

  constructor(
    private readonly sessions: SessionStore,
    private readonly opener: SessionOpener,
    private readonly cascade: Cascade,
    private readonly properties: Properties,
    private readonly guests: GuestAccess,
    private readonly announced: AnnouncedCapabilities,
  ) {
    this.guard = new SessionGuard(sessions);
  }

  async handle({ query, body, edge }: CallOf<typeof login.autologin>) {
    if (!this.cascade.value(AUTOLOGIN)) throw RequestErrors.actionDisabled('autologin');
    const parameters = mergeParameters(query, body);
    const guest = await this.guests.findReturningSession(parameters.share, edge!);
    if (guest) return reply<AutologinObject>(toLoginObject(guest.session), { cookies: guest.cookies });
    if (hasOidcAutologin(edge!.host, this.properties)) throw RequestErrors.actionDisabled('autologin');
    const client = this.opener.resolveClient(parameters, edge!);
    const names = sessionCookieNames(client.hash, this.sessions.settings.compatNames);
    const id = findCookie(edge!.cookies, names);
    // Autologin was not requested here: a secret cookie of the same name may belong to a live session and stays.
    if (id === undefined) throw RequestErrors.invalidCookie();
    const session = (await this.sessions.lookUp(id)) ?? (await this.sessions.lookUpAlternative(id));
    const context = { userAgent: edge!.userAgent, headers: edge!.headers };
    try {
      if (!session) throw RequestErrors.invalidCookie();
      this.guard.requireValid(session, { ...context, cookies: edge!.cookies, remoteAddress: edge!.remoteAddress });
    } catch {
      // Invalid cookies are expired, and the client must log in again.
      return toErrorReply<AutologinObject>(
        RequestErrors.invalidCookie(),
        edge!,
        createStaleCookieRemovals(client.hash),
      );
    }
    const answer = { ...toLoginObject(session), ...moduleSettingsBeside(session, parameters, this.announced) };
    return reply(answer, { cookies: createLoginCookies(session, context, this.sessions.settings) });
  }
}
