import { displayText, jsonText, localText, reply, type CatalogueError, type EdgeRequest } from '@groupware/contracts';
import { resolveLocale } from './error-reply';

const SECONDS = 5;

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

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
  const leave = back ? `<meta http-equiv="refresh" content="${SECONDS}; url=${escapeHtml(back)}">` : '';
  const link = back ? `<p><a href="${escapeHtml(back)}">${escapeHtml(localText('login.back', locale))}</a></p>` : '';
  const title = escapeHtml(localText('login.failed', locale));
  const head = `<head><meta charset="UTF-8">${leave}<title>${title}</title></head>`;
  const why = escapeHtml(displayText(error.entry, error.params, locale));
  const body = `<body><h1>${title}</h1><p>${why}</p><p>${escapeHtml(error.code)}</p>${link}</body>`;
  const html = `<!DOCTYPE html><html lang="${escapeHtml(locale).replace('_', '-')}">${head}${body}</html>`;
  return reply<undefined>(jsonText(html), {
    headers: {
      'Content-Type': 'text/html; charset=UTF-8',
      'Content-Security-Policy': "default-src 'none'",
      ...error.details.headers,
    },
  });
}
