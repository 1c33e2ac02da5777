import { displayText, jsonText, localText, reply, type CatalogueError, type EdgeRequest } from '@groupware/contracts';
import { localeOf } from './refusal';

const SECONDS = 5;

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** The page the form was on, with `login=failed`; undefined when it is none of this host. */
function pageOf(edge: EdgeRequest): string | undefined {
  const { referer } = edge.headers;
  if (!referer || !URL.canParse(referer)) return undefined;
  const page = new URL(referer);
  if (page.host !== edge.host || !/^https?:$/.test(page.protocol)) return undefined;
  page.searchParams.set('login', 'failed');
  return page.href;
}

/** Answer to a form that failed: a page that says why and leads back after some seconds. */
export function failedLoginPage(error: CatalogueError, edge: EdgeRequest) {
  const locale = localeOf(edge);
  const back = pageOf(edge);
  const leave = back ? `<meta http-equiv="refresh" content="${SECONDS}; url=${escaped(back)}">` : '';
  const link = back ? `<p><a href="${escaped(back)}">${escaped(localText('login.back', locale))}</a></p>` : '';
  const title = escaped(localText('login.failed', locale));
  const head = `<head><meta charset="UTF-8">${leave}<title>${title}</title></head>`;
  const why = escaped(displayText(error.entry, error.params, locale));
  const body = `<body><h1>${title}</h1><p>${why}</p><p>${escaped(error.code)}</p>${link}</body>`;
  const html = `<!DOCTYPE html><html lang="${escaped(locale).replace('_', '-')}">${head}${body}</html>`;
  return reply<undefined>(jsonText(html), {
    headers: {
      'Content-Type': 'text/html; charset=UTF-8',
      'Content-Security-Policy': "default-src 'none'",
      ...error.details.headers,
    },
  });
}
