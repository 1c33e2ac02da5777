import { displayText, localText, type CatalogueError, type EdgeRequest } from '@groupware/contracts';
import { resolveLocale } from './error-reply';
import { escapeHtml, replyPage } from './html-page';

const SECONDS = 5;

/** URL of the page of the form, with `login=failed`; undefined for other hosts. */
function findFormPage(edge: EdgeRequest): string | undefined {
  const { referer } = edge.headers;
  if (!referer || !URL.canParse(referer)) return undefined;
  const page = new URL(referer);
  if (page.host !== edge.host || !/^https?:$/.test(page.protocol)) return undefined;
  page.searchParams.set('login', 'failed');
  return page.href;
}

/** Renders a failed form login: a page with the reason that redirects back after some seconds. */
export function renderFailedLogin(error: CatalogueError, edge: EdgeRequest) {
  const locale = resolveLocale(edge);
  const back = findFormPage(edge);
  const head = back ? `<meta http-equiv="refresh" content="${SECONDS}; url=${escapeHtml(back)}">` : '';
  const link = back ? `<p><a href="${escapeHtml(back)}">${escapeHtml(localText('login.back', locale))}</a></p>` : '';
  const why = escapeHtml(displayText(error.entry, error.params, locale));
  const body = `<p>${why}</p><p>${escapeHtml(error.code)}</p>${link}`;
  return replyPage(
    { title: localText('login.failed', locale), locale, head, body },
    { headers: error.details.headers ?? {} },
  );
}
