import { jsonText, reply, type ReplyOptions } from '@groupware/contracts';

/** Writes text as HTML shows it. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** Parts of a page, already escaped but the title and the locale. */
export interface PageParts {
  readonly title: string;
  readonly locale: string;
  readonly head?: string;
  readonly body: string;
}

/** Answers a page that shows its title and a body, and loads nothing. */
export function replyPage(
  { title, locale, head = '', body }: PageParts,
  { headers, ...options }: Pick<ReplyOptions, 'status' | 'headers'> = {},
) {
  const text = escapeHtml(title);
  const top = `<head><meta charset="UTF-8">${head}<title>${text}</title></head>`;
  const language = escapeHtml(locale).replace('_', '-');
  const html = `<!DOCTYPE html><html lang="${language}">${top}<body><h1>${text}</h1>${body}</body></html>`;
  return reply<undefined>(jsonText(html), {
    ...options,
    headers: {
      'Content-Type': 'text/html; charset=UTF-8',
      'Content-Security-Policy': "default-src 'none'",
      ...headers,
    },
  });
}
