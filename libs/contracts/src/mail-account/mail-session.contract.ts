import { SessionErrors } from '../edge/edge.errors';
import { defineModule, Field, plain, rest } from '../kit';
import { MailSessionErrors } from './mail-account.errors';

/** Place `{session}`. */
export class MailSessionPath {
  @Field.text({ doc: 'Session id', maxLength: 256 }) session!: string;
}

/** Owner of a session. */
export class MailSessionIdentity {
  @Field.text({ doc: 'User id, decimal' }) user!: string;
  @Field.text({ doc: 'Context id, decimal' }) context!: string;
  @Field.text({ doc: 'Display name or null', optional: true }) displayName!: string | null;
  @Field.text({ doc: 'Primary mail address' }) primaryEmail!: string;
}

/** The mail server of the primary account. */
export class MailSessionServer {
  @Field.text({ doc: 'Host' }) host!: string;
  @Field.int({ doc: 'Port' }) port!: number;
  @Field.boolean({ doc: 'TLS from the first byte' }) secure!: boolean;
}

/** How to log in there. */
export class MailSessionAuthentication {
  @Field.text({ doc: 'Mechanism', values: ['LOGIN', 'XOAUTH2', 'OAUTHBEARER'] }) type!: string;
  @Field.text({ doc: 'Login' }) loginName!: string;
  @Field.text({ doc: 'Password or token; empty where there is none' }) secret!: string;
  @Field.int({ doc: 'Seconds until the secret ends; null for passwords', optional: true })
  secretExpiresInSeconds!: number | null;
}

/** How long the session lasts. */
export class MailSessionLife {
  @Field.int({ doc: 'Seconds until the session ends without further requests', min: 0 }) expiresInSeconds!: number;
}

/** Data of a session that a mail proxy needs (`MailValidateSessionResponse`). */
export class MailSession {
  @Field.object(() => MailSessionIdentity, { doc: 'Whose session it is' }) identity!: MailSessionIdentity;
  @Field.object(() => MailSessionServer, { doc: 'Mail server of the primary account' }) imap!: MailSessionServer;
  @Field.object(() => MailSessionAuthentication, { doc: 'How to log in there' }) auth!: MailSessionAuthentication;
  @Field.object(() => MailSessionLife, { doc: 'How long the session lasts' }) session!: MailSessionLife;
}

/** Validation of sessions for mail proxies. */
export const mailSession = defineModule(
  'mail-session',
  {
    validateMailSession: rest<MailSessionPath, undefined, MailSession>({
      http: 'GET',
      path: '/preliminary/mail/v1/validate-session/{session}',
      callers: ['service'],
      doc: 'Tells a mail proxy whose session it is and how to log in for the user. Needs the header X-Svc-Session-Secret, the value of the secret cookie. Does not touch the session',
      params: MailSessionPath,
      reply: plain<MailSession>(MailSession),
      edge: true,
      repeatable: false,
      idempotency: 'none',
      unauthorized: SessionErrors.unknown,
      errors: [SessionErrors.unknown, MailSessionErrors.noPrimaryAccount],
    }),
  },
  { service: 'mail-account' },
);
