import type { MailAuthenticity, MailData } from '@groupware/contracts';
import type { ZoneOffsets } from '@groupware/recurrence';
import { fromBodyStructure, hasAttachments, MailHeaders } from '@groupware/mail-content';
import type { FetchMessageObject, FetchQueryObject } from 'imapflow';
import { toColor, toFlagBits, toUserKeywords } from '../domain/mail-flags';
import { judgeAuthenticity, type AuthenticityRules } from '../domain/mail-authenticity';
import { toMailFolderId, type MailFolder } from '../domain/mail-folder';
import { DRAFT_REFERENCE, toMailPath } from '../domain/mail-path';
import type { MailColumn } from './mail-columns';

/** Surroundings of the mails of one folder. */
export interface MailViewContext {
  readonly folder: MailFolder;
  readonly accountName: string;
  readonly zone: ZoneOffsets;
  /** Column 661 is the time it was sent. */
  readonly prefersSentDate: boolean;
  /** By which authors are judged; undefined where they are not. */
  readonly authenticity: AuthenticityRules | undefined;
}

const AUTHENTICITY_HEADERS = ['From', 'Authentication-Results'];
/** Headers that fields need. */
const HEADERS_OF: Partial<Record<keyof MailData, readonly string[]>> = {
  from: ['From'],
  to: ['To'],
  cc: ['Cc'],
  bcc: ['Bcc'],
  subject: ['Subject'],
  sent_date: ['Date'],
  date: ['Date'],
  disp_notification_to: ['Disposition-Notification-To'],
  priority: ['Importance', 'X-Priority'],
  msgref: [DRAFT_REFERENCE],
  authentication_overall_result: AUTHENTICITY_HEADERS,
  authentication_mechanism_results: AUTHENTICITY_HEADERS,
};
const FLAG_FIELDS: ReadonlySet<string> = new Set([
  ...['flags', 'color_label', 'answered', 'forwarded', 'draft', 'flagged', 'user', 'disp_notification_to', 'msgref'],
]);
const STRUCTURE_FIELDS: ReadonlySet<string> = new Set(['attachment', 'content_type']);
const DATE_FIELDS: ReadonlySet<string> = new Set([
  ...['received_date', 'date', 'authentication_overall_result', 'authentication_mechanism_results'],
]);

/** The data of mails that some columns need: nothing more is asked of the server. */
export function planFetch(columns: readonly MailColumn[]): FetchQueryObject {
  const fields = columns.flatMap((column) => (column.kind === 'field' ? [column.property] : []));
  const uses = (set: ReadonlySet<string>) => fields.some((field) => set.has(field));
  const headers = new Set([
    ...fields.flatMap((field) => HEADERS_OF[field] ?? []),
    // A name that is none of a header is nowhere found.
    ...columns.flatMap((column) => (column.kind === 'header' && isHeaderName(column.name) ? [column.name] : [])),
  ]);
  return {
    uid: true,
    ...(uses(FLAG_FIELDS) && { flags: true }),
    ...(uses(STRUCTURE_FIELDS) && { bodyStructure: true }),
    ...(uses(DATE_FIELDS) && { internalDate: true }),
    ...(fields.includes('size') && { size: true }),
    ...(headers.size > 0 && { headers: [...headers] }),
  };
}

/** Whether a header of that name can be asked for. */
export const isHeaderName = (name: string): boolean => /^[!-9;-~]{1,200}$/.test(name) && !/[()"\\{%*\]]/.test(name);

/** The values of one mail by column. */
export class MailCells {
  readonly headers: MailHeaders;
  readonly flags: ReadonlySet<string>;
  private judged: MailAuthenticity | undefined;

  constructor(
    readonly message: FetchMessageObject,
    readonly context: MailViewContext,
    /** Whether the folder keeps any keyword. */
    readonly acceptsKeywords: boolean,
    /** Begin of its text. */
    readonly preview: string | undefined,
  ) {
    this.headers = new MailHeaders(message.headers);
    this.flags = message.flags ?? new Set();
  }

  /** Value of a column; null without one. */
  getCell(column: MailColumn, level = 0): unknown {
    if (column.kind === 'nothing') return null;
    if (column.kind === 'header') return toHeaderCell(this.headers.listTexts(column.name));
    return this.getField(column.property, level) ?? null;
  }

  /** The row of some columns. */
  toRow(columns: readonly MailColumn[], level = 0): unknown[] {
    return columns.map((column) => this.getCell(column, level));
  }

  /** The object of some columns, without those that have no value. */
  toObject(columns: readonly MailColumn[]): MailData {
    const object: Record<string, unknown> = {};
    for (const column of columns) {
      const cell = this.getCell(column);
      if (column.kind !== 'nothing' && cell !== null) object[column.name] = cell;
    }
    return object;
  }

  /** Whether it was read. */
  get isSeen(): boolean {
    return this.flags.has('\\Seen');
  }

  /** Whether it is still written. */
  get isDraft(): boolean {
    return this.flags.has('\\Draft');
  }

  /** Its path. */
  get path(): string {
    return toMailPath({ folder: this.context.folder, uid: this.message.uid });
  }

  /** Whether its author is who it says; undefined where authors are not judged. */
  get authenticity(): MailAuthenticity | undefined {
    const rules = this.context.authenticity;
    if (!rules) return undefined;
    this.judged ??= judgeAuthenticity(
      {
        from: this.headers.getAddresses('From'),
        results: this.headers.listRaw('Authentication-Results'),
        received: this.message.internalDate,
      },
      rules,
    );
    return this.judged;
  }

  private getField(property: keyof MailData, level: number): unknown {
    return FIELDS[property]?.(this, level);
  }

  /** A time in the zone of the request; null for none. */
  toTime(time: Date | string | number | undefined): number | null {
    const ms = time instanceof Date ? time.getTime() : typeof time === 'string' ? Date.parse(time) : time;
    return ms === undefined || !Number.isFinite(ms) ? null : this.context.zone.instantToLocal(ms);
  }
}

/** A header as a cell: a text, a list where there are several of a name, null without one. */
const toHeaderCell = (texts: readonly string[]) => (texts.length > 1 ? texts : (texts[0] ?? null));

/** The id and the place of a mail. */
const toId = ({ message }: MailCells): string => String(message.uid);
const toFolder = ({ context }: MailCells): string => toMailFolderId(context.folder);
const toPreview = ({ preview }: MailCells): string | undefined => preview?.replace(/\s+/g, ' ').trim();

/** How fields are read. Those that are not here have no value. */
const FIELDS: { readonly [K in keyof MailData]?: (cells: MailCells, level: number) => unknown } = {
  color_label: ({ flags }) => toColor(flags),
  unread: () => -1,
  id: toId,
  original_id: toId,
  folder_id: toFolder,
  folder: toFolder,
  original_folder_id: toFolder,
  attachment: ({ message: { bodyStructure } }) =>
    bodyStructure !== undefined && hasAttachments(fromBodyStructure(bodyStructure)),
  from: ({ headers }) => headers.getAddresses('From'),
  to: ({ headers }) => headers.getAddresses('To'),
  cc: ({ headers }) => headers.getAddresses('Cc'),
  bcc: ({ headers }) => headers.getAddresses('Bcc'),
  subject: ({ headers }) => headers.listTexts('Subject')[0] ?? null,
  size: ({ message }) => message.size,
  sent_date: (cells) => cells.toTime(cells.headers.getDate()),
  received_date: (cells) => cells.toTime(cells.message.internalDate),
  date: (cells) =>
    cells.toTime((cells.context.prefersSentDate ? cells.headers.getDate() : undefined) ?? cells.message.internalDate),
  flags: ({ flags, acceptsKeywords }) => toFlagBits(flags, acceptsKeywords),
  level: (_cells, level) => level,
  disp_notification_to: ({ isSeen, headers }) =>
    isSeen ? null : headers.getAddresses('Disposition-Notification-To')[0]?.[1],
  priority: ({ headers }) => headers.getPriority(),
  // Drafts alone are written by the user: in other mails the header may name anything.
  msgref: ({ headers, path, isDraft }) => (isDraft ? headers.getText(DRAFT_REFERENCE) || path : undefined),
  account_name: ({ context }) => context.accountName,
  account_id: ({ context }) => context.folder.account,
  content_type: ({ message }) => message.bodyStructure?.type.toLowerCase(),
  answered: ({ flags }) => flags.has('\\Answered'),
  forwarded: ({ flags }) => flags.has('$Forwarded'),
  draft: ({ isDraft }) => isDraft,
  flagged: ({ flags }) => flags.has('\\Flagged'),
  quick_preview: toPreview,
  text_preview: toPreview,
  user: ({ flags }) => {
    const keywords = toUserKeywords(flags);
    return keywords.length > 0 ? keywords : null;
  },
  authentication_overall_result: ({ authenticity }) => {
    if (!authenticity) return null;
    const { spf: _spf, dkim: _dkim, dmarc: _dmarc, unconsidered_results: _others, ...overall } = authenticity;
    return overall;
  },
  authentication_mechanism_results: ({ authenticity }) => {
    if (!authenticity) return null;
    const { spf, dkim, dmarc, unconsidered_results: others } = authenticity;
    return { spf, dkim, dmarc, unconsidered_results: others };
  },
};
