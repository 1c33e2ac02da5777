import {
  formatMessage,
  formatPeriod,
  localText,
  SHARE_RESET_LIFE,
  type MailTemplate,
  type MailValues,
  type TextKey,
} from '@groupware/contracts';

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

type EventTemplate = Extract<MailTemplate, `event${string}`>;
type TaskTemplate = Extract<MailTemplate, `task${string}`>;
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
  ({ sender, folder = '', shared, url = '', pin, message }: MailValues, translate: Translate): Draft => {
    const kind = shared === 'mail' ? undefined : shared;
    const write = (key: TextKey): string => translate(key, sender, folder);
    return {
      subject: write(kind ? `mail.shared.${kind}.subject` : `mail.${template}.subject`),
      blocks: [
        { kind: 'text', text: write(kind ? `mail.shared.${kind}.${template}` : `mail.${template}.text`) },
        ...quoteBlocks(translate, sender, message),
        { kind: 'link', label: translate('mail.open'), url },
        ...(pin === undefined ? [] : [{ kind: 'text', text: translate('mail.pin', pin) } as const]),
      ],
    };
  };

const draftNotice =
  (template: 'folderShared' | 'documentShared') =>
  ({ sender, folder, shared, message }: MailValues, translate: Translate): Draft => {
    const kind = folder === undefined ? undefined : shared;
    const write = (key: TextKey): string => translate(key, sender, folder ?? '');
    return {
      subject: write(kind ? `mail.shared.${kind}.subject` : `mail.${template}.subject`),
      blocks: [
        { kind: 'text', text: write(kind ? `mail.shared.${kind}.notice` : `mail.${template}.text`) },
        ...quoteBlocks(translate, sender, message),
      ],
    };
  };

/** Writes a length of time in whole hours, else in whole minutes. */
function formatSpan(ms: number, translate: Translate): string {
  const minutes = Math.max(1, Math.floor(ms / 60_000));
  const [count, unit] = minutes % 60 === 0 ? ([minutes / 60, 'hour'] as const) : ([minutes, 'minute'] as const);
  return count === 1 ? translate(`mail.span.${unit}`) : translate(`mail.span.${unit}s`, String(count));
}

/** Start or due date of a task. */
const formatMoment = (values: MailValues, ms: number, locale: string): string =>
  formatPeriod({ ...values, startMs: ms, endMs: ms }, locale);

type Sentences = Readonly<Record<string, () => string>>;

/** Sentences on what is different, in one block. */
function describeChanges(values: MailValues, translate: Translate, more: Sentences): Block[] {
  const sentences: Sentences = {
    summary: () => translate('itip.diff.summary', values.summary ?? ''),
    description: () => translate('itip.diff.description'),
    rule: () => translate('itip.diff.rule'),
    ...more,
  };
  const told = (values.changed ?? []).flatMap((name) => sentences[name]?.() ?? []);
  return told.length > 0 ? [{ kind: 'text', text: told.join('\n') }] : [];
}

const draftEvent =
  (template: EventTemplate) =>
  (values: MailValues, translate: Translate, locale: string): Draft => {
    const { sender, location, description, message } = values;
    const summary = values.summary?.trim() ? values.summary : translate('mail.event.untitled');
    const when = translate(values.recurring ? 'mail.event.series' : 'mail.event.when', formatPeriod(values, locale));
    return {
      subject: translate(`mail.${template}.subject`, summary),
      blocks: [
        { kind: 'text', text: translate(`mail.${template}.text`, sender, summary) },
        { kind: 'text', text: [when, ...(location ? [translate('mail.event.where', location)] : [])].join('\n') },
        ...describeChanges(values, translate, {
          location: () => translate('itip.diff.location', location ?? ''),
          time: () => translate('itip.diff.time', formatPeriod(values, locale)),
          attachments: () => translate('itip.diff.attachments'),
        }),
        ...(description ? [{ kind: 'text', text: description } as const] : []),
        ...quoteBlocks(translate, sender, message),
      ],
    };
  };

const TASK_STATUS: readonly TextKey[] = [
  'mail.task.status.1',
  'mail.task.status.2',
  'mail.task.status.3',
  'mail.task.status.4',
  'mail.task.status.5',
];

const draftTask =
  (template: TaskTemplate) =>
  (values: MailValues, translate: Translate, locale: string): Draft => {
    const { sender, description, message, startMs, endMs, status = 1, percent } = values;
    const summary = values.summary?.trim() ? values.summary : translate('mail.task.untitled');
    const dates = [
      ...(startMs === undefined ? [] : [translate('mail.task.start', formatMoment(values, startMs, locale))]),
      ...(endMs === undefined ? [] : [translate('mail.task.due', formatMoment(values, endMs, locale))]),
    ];
    const changes = describeChanges(values, translate, {
      time: () =>
        endMs === undefined
          ? translate('mail.task.diff.undated')
          : translate('mail.task.diff.time', formatMoment(values, endMs, locale)),
      state: () =>
        [
          translate(TASK_STATUS[status - 1] ?? TASK_STATUS[0]!),
          ...(percent ? [translate('mail.task.percent', String(percent))] : []),
        ].join(' '),
    });
    return {
      subject: translate(`mail.${template}.subject`, summary),
      blocks: [
        { kind: 'text', text: translate(`mail.${template}.text`, sender, summary) },
        ...(dates.length > 0 ? [{ kind: 'text', text: dates.join('\n') } as const] : []),
        ...changes,
        ...(description ? [{ kind: 'text', text: description } as const] : []),
        ...quoteBlocks(translate, sender, message),
      ],
    };
  };

const DRAFTS: Readonly<Record<MailTemplate, (values: MailValues, translate: Translate, locale: string) => Draft>> = {
  shareLink: draftShare('shareLink'),
  guestInvitation: draftShare('guestInvitation'),
  guestPassword: ({ sender, url = '', validMs = SHARE_RESET_LIFE.default }, translate) => ({
    subject: translate('mail.guestPassword.subject'),
    blocks: [
      { kind: 'text', text: translate('mail.guestPassword.text', sender, formatSpan(validMs, translate)) },
      { kind: 'link', label: translate('mail.guestPassword.open'), url },
    ],
  }),
  folderShared: draftNotice('folderShared'),
  documentShared: draftNotice('documentShared'),
  eventInvitation: draftEvent('eventInvitation'),
  eventUpdate: draftEvent('eventUpdate'),
  eventCancellation: draftEvent('eventCancellation'),
  eventAccepted: draftEvent('eventAccepted'),
  eventTentative: draftEvent('eventTentative'),
  eventDeclined: draftEvent('eventDeclined'),
  eventDelegated: draftEvent('eventDelegated'),
  eventDelegation: draftEvent('eventDelegation'),
  eventCounter: draftEvent('eventCounter'),
  eventCounterDeclined: draftEvent('eventCounterDeclined'),
  eventReminder: draftEvent('eventReminder'),
  taskGiven: draftTask('taskGiven'),
  taskUpdate: draftTask('taskUpdate'),
  taskEnd: draftTask('taskEnd'),
  taskAccepted: draftTask('taskAccepted'),
  taskTentative: draftTask('taskTentative'),
  taskDeclined: draftTask('taskDeclined'),
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
  const { subject, blocks } = DRAFTS[template](values, translate, locale);
  const footer = translate('mail.footer');
  const language = /^[a-z]{2,3}/i.exec(locale)?.[0]?.toLowerCase() ?? 'en';
  return {
    subject: normalizeSpace(subject),
    text: `${[...blocks.map(toPlainBlock), `-- \n${footer}`].join('\n\n')}\n`,
    html: `<!doctype html><html lang="${language}"><head><meta charset="utf-8"></head><body>${blocks.map(toHtmlBlock).join('')}<p><small>${escapeHtml(footer)}</small></p></body></html>`,
  };
}
