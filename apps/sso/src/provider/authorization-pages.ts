import { formatMessage, jsonText, localText, reply, type CookieChange, type Reply } from '@groupware/contracts';
import { escapeHtml, PAGE_HEADERS, renderPage } from '../web/pages';
import { describeScope } from './scopes';

/** Values that a page needs. */
export interface AuthorizationPage {
  /** Token of the page. */
  readonly request: string;
  /** Name of the application. */
  readonly application: string;
  readonly locale: string;
  /** Address that the decision leads to. */
  readonly redirectUri: string;
  readonly cookie: CookieChange;
}

/** A form that comes back to the address of the page. Without script and style from elsewhere; only the application may be led to. */
function replyForm(page: AuthorizationPage, title: string, body: string, status = 200): Reply<undefined> {
  const form = `<form method="post" action="?" accept-charset="UTF-8"><input type="hidden" name="request" value="${escapeHtml(page.request)}">${body}</form>`;
  const origin = new URL(page.redirectUri).origin;
  return reply<undefined>(jsonText(renderPage(title, form, page.locale)), {
    status,
    headers: {
      ...PAGE_HEADERS,
      'Content-Security-Policy': `${PAGE_HEADERS['Content-Security-Policy']}; form-action 'self' ${origin}`,
    },
    cookies: [page.cookie],
  });
}

const renderProblem = (problem: string | undefined): string =>
  problem === undefined ? '' : `<p role="alert">${escapeHtml(problem)}</p>`;

/** Asks for name and password. */
export function renderLogin(page: AuthorizationPage, problem?: string, status = 200): Reply<undefined> {
  const text = (key: Parameters<typeof localText>[0]): string => escapeHtml(localText(key, page.locale));
  const fields = `<p><label>${text('oauth.user')}<br><input name="login" autocomplete="username" required></label></p><p><label>${text('oauth.password')}<br><input name="password" type="password" autocomplete="current-password" required></label></p>`;
  const body = `<p>${escapeHtml(page.application)}</p>${renderProblem(problem)}${fields}<p><button>${text('oauth.login')}</button></p>`;
  return replyForm(page, localText('oauth.login', page.locale), body, status);
}

/** Asks for the code of a second factor. */
export function renderCode(page: AuthorizationPage, problem?: string, status = 200): Reply<undefined> {
  const text = (key: Parameters<typeof localText>[0]): string => escapeHtml(localText(key, page.locale));
  const field = `<p><label>${text('oauth.code')}<br><input name="secret_code" autocomplete="one-time-code" required></label></p>`;
  const body = `<p>${escapeHtml(page.application)}</p>${renderProblem(problem)}${field}<p><button>${text('oauth.login')}</button></p>`;
  return replyForm(page, localText('oauth.login', page.locale), body, status);
}

/** Asks whether the application gets what it wants. */
export function renderConsent(page: AuthorizationPage, user: string, scopes: readonly string[]): Reply<undefined> {
  const text = (key: Parameters<typeof localText>[0], ...parameters: string[]): string =>
    escapeHtml(formatMessage(localText(key, page.locale), parameters));
  const wanted = scopes.map((scope) => `<li>${escapeHtml(describeScope(scope, page.locale))}</li>`).join('');
  const buttons = `<p><button name="decision" value="allow">${text('oauth.allow')}</button> <button name="decision" value="deny">${text('oauth.deny')}</button></p>`;
  const body = `<p>${text('oauth.as', user)}</p><p>${text('oauth.wants', page.application)}</p><ul>${wanted}</ul>${buttons}`;
  return replyForm(page, localText('oauth.title', page.locale), body);
}
