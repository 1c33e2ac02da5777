import { reply, type CookieChange, type Reply } from '@groupware/contracts';

/** Answers a browser that something of the request is missing: HTTP 400, no body. */
export const badRequest = (): Reply<undefined> => reply(undefined, { status: 400 });

/** Answers a browser that what it brings opens nothing: HTTP 403, no body. */
export const forbidden = (): Reply<undefined> => reply(undefined, { status: 403 });

/** Leads a browser to another address: HTTP 302. */
export const leadTo = (location: string, cookies?: readonly CookieChange[]): Reply<undefined> =>
  reply(undefined, { status: 302, headers: { Location: location }, ...(cookies ? { cookies } : {}) });
