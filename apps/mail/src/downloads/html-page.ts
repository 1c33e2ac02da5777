import { FileReply, type MailData } from '@groupware/contracts';
import { escapeHtml } from '@groupware/mail-content';

/** Nothing in the page runs, and it loads pictures only. */
const POLICY =
  "sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data: http: https:; form-action 'none'; base-uri 'none'";

/** A page of a mail's text, which was made safe. */
export function createMailPage(mail: MailData): FileReply {
  const texts = (mail.attachments ?? []).flatMap(({ content }) => (content == null ? [] : [`<div>${content}</div>`]));
  return createPage(200, mail.subject ?? '', texts.join('\n'));
}

/** A page that tells that something is not there. */
export const createMissingPage = (text: string): FileReply => createPage(404, text, `<p>${escapeHtml(text)}</p>`);

function createPage(status: number, title: string, body: string): FileReply {
  const head = `<meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>${escapeHtml(title)}</title>`;
  const bytes = Buffer.from(`<!DOCTYPE html>\n<html><head>${head}</head><body>${body}</body></html>\n`);
  return new FileReply(
    { reference: '', name: '', contentType: 'text/html', sizeBytes: bytes.length },
    {
      ...(status === 200 ? {} : { status }),
      headers: {
        'Content-Type': 'text/html; charset=UTF-8',
        'Content-Disposition': 'inline',
        'Content-Security-Policy': POLICY,
        'Cache-Control': 'private, no-store',
      },
    },
    only(bytes),
  );
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
