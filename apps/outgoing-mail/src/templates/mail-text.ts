import { formatMessage, localText, type MailTemplate, type MailValues, type TextKey } from '@groupware/contracts';

/** A part of a mail. */
type Block =
  | { readonly kind: 'text' | 'quote'; readonly text: string }
  | { readonly kind: 'link'; readonly label: string; readonly url: string };

/** Subject and body of a mail in one language. */
export interface MailText {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

interface Draft {
  readonly subject: string;
  readonly blocks: readonly Block[];
}

type Translate = (key: TextKey, ...params: string[]) => string;

const quoteBlocks = (translate: Translate, sender: string, message: string | undefined): Block[] =>
  message
    ? [
        { kind: 'text', text: translate('mail.message', sender) },
        { kind: 'quote', text: message },
      ]
    : [];

const draftShare =
  (template: 'shareLink' | 'guestInvitation') =>
  ({ sender, folder = '', url = '', message }: MailValues, translate: Translate): Draft => ({
    subject: translate(`mail.${template}.subject`, sender, folder),
    blocks: [
      { kind: 'text', text: translate(`mail.${template}.text`, sender, folder) },
      ...quoteBlocks(translate, sender, message),
      { kind: 'link', label: translate('mail.open'), url },
    ],
  });

const DRAFTS: Readonly<Record<MailTemplate, (values: MailValues, translate: Translate) => Draft>> = {
  shareLink: draftShare('shareLink'),
  guestInvitation: draftShare('guestInvitation'),
  folderShared: ({ sender, message }, translate) => ({
    subject: translate('mail.folderShared.subject', sender),
    blocks: [
      { kind: 'text', text: translate('mail.folderShared.text', sender) },
      ...quoteBlocks(translate, sender, message),
    ],
  }),
};

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign]!);
const toHtmlLines = (text: string): string => escapeHtml(text).replace(/\r?\n/g, '<br>');
const normalizeSpace = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').trim();

function toPlainBlock(block: Block): string {
  if (block.kind === 'link') return `${block.label}: ${block.url}`;
  return block.kind === 'quote' ? block.text.replace(/^/gm, '> ') : block.text;
}

function toHtmlBlock(block: Block): string {
  if (block.kind === 'link') return `<p><a href="${escapeHtml(block.url)}">${escapeHtml(block.label)}</a></p>`;
  const text = toHtmlLines(block.text);
  return block.kind === 'quote' ? `<blockquote>${text}</blockquote>` : `<p>${text}</p>`;
}

/** Writes the mail of a template in the language of a locale, English where there is no translation. */
export function writeMailText(template: MailTemplate, values: MailValues, locale: string): MailText {
  const translate: Translate = (key, ...params) => formatMessage(localText(key, locale), params);
  const { subject, blocks } = DRAFTS[template](values, translate);
  const footer = translate('mail.footer');
  const language = /^[a-z]{2,3}/i.exec(locale)?.[0]?.toLowerCase() ?? 'en';
  return {
    subject: normalizeSpace(subject),
    text: `${[...blocks.map(toPlainBlock), `-- \n${footer}`].join('\n\n')}\n`,
    html: `<!doctype html><html lang="${language}"><head><meta charset="utf-8"></head><body>${blocks.map(toHtmlBlock).join('')}<p><small>${escapeHtml(footer)}</small></p></body></html>`,
  };
}
