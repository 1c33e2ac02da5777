import { randomUUID } from 'node:crypto';
import {
  errorObject,
  jsonText,
  reply,
  type CatalogueError,
  type CookieChange,
  type EdgeRequest,
  type ReplyOptions,
} from '@groupware/contracts';
import { Logger } from '@groupware/service-kit';

const log = Logger.for('identity.login');

/** Resolves the language of a request without session. */
export function resolveLocale(edge: EdgeRequest, language?: string): string {
  const wanted = language ?? edge.headers['accept-language']?.split(',')[0]?.split(';')[0];
  return wanted && /^[a-zA-Z]{2,3}([_-][a-zA-Z0-9]{2,3})?$/.test(wanted.trim()) ? wanted.trim() : 'en_US';
}

/**
 * An error answer that also expires cookies. Errors that are thrown carry no cookies, so this one is a result in the form of
 * an error; it is logged here, because the kit sees a success.
 */
export function toErrorReply<T>(
  error: CatalogueError,
  edge: EdgeRequest,
  cookies: readonly CookieChange[],
  options: Pick<ReplyOptions, 'status' | 'headers'> = {},
) {
  const identified = error.with({});
  identified.errorId = randomUUID();
  log.info({ code: error.code, error_id: identified.errorId }, 'refused');
  return reply<T>(jsonText(JSON.stringify(errorObject(identified, resolveLocale(edge)))), { ...options, cookies });
}
