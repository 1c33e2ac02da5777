import { reply, type CookieChange, type Reply } from '@groupware/contracts';

/** Answers HTTP 400 without body: the request is incomplete. */
export const replyBadRequest = (): Reply<undefined> => reply(undefined, { status: 400 });

/** Answers HTTP 403 without body: the credentials are not accepted. */
export const replyForbidden = (): Reply<undefined> => reply(undefined, { status: 403 });

/** Redirects with HTTP 302. */
export const redirectTo = (location: string, cookies?: readonly CookieChange[]): Reply<undefined> =>
  reply(undefined, { status: 302, headers: { Location: location }, ...(cookies ? { cookies } : {}) });
