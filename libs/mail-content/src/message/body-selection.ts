import type { Markup } from '../worker/content-task';
import type { MessagePart } from './part-source';

/** How the text of a mail is wanted: HTML or plain text, both as they are, or text without the HTML beside it. */
export type BodyView = 'html' | 'text' | 'textNoHtmlAttach' | 'raw';

/** Which parts of a mail are its text, which are files, and which are mails. */
export interface SelectedParts {
  /** Parts of text, in order; an HTML part may have a plain one that says the same. */
  bodies: { part: MessagePart; alternative?: MessagePart }[];
  files: MessagePart[];
  /** Files that are pictures to be seen beside a text, whether or not it refers to them. */
  pictures: MessagePart[];
  /** HTML left out in favour of plain text. */
  alternatives: MessagePart[];
  messages: MessagePart[];
}

const MARKUPS: Readonly<Record<string, Markup>> = {
  'text/enriched': 'enriched',
  'text/richtext': 'richtext',
  'text/rtf': 'rtf',
  'application/rtf': 'rtf',
};

/** The markup of a text that is shown as HTML; undefined for other parts, and for documents of that kind. */
export function markupOf({ type, disposition, filename }: MessagePart): Markup | undefined {
  if (disposition === 'attachment' || filename !== undefined) return undefined;
  return Object.hasOwn(MARKUPS, type) ? MARKUPS[type] : undefined;
}

/** Chooses parts for a view. */
export function selectParts(structure: MessagePart, view: BodyView): SelectedParts {
  const selected: SelectedParts = { bodies: [], files: [], pictures: [], alternatives: [], messages: [] };
  collect(structure, view, selected);
  return selected;
}

/** True when a mail has files, a paper clip in lists: parts that say so, or anything but text directly within a mixed part. */
export function hasAttachments({ type, disposition, children }: MessagePart): boolean {
  if (disposition === 'attachment') return true;
  const isMixed = type === 'multipart/mixed';
  return children.some((child) => (isMixed && !/^(?:text|multipart)\//.test(child.type)) || hasAttachments(child));
}

function collect(part: MessagePart, view: BodyView, selected: SelectedParts): void {
  switch (part.type) {
    case 'multipart/alternative':
      return collectAlternative(part, view, selected);
    case 'multipart/related':
      part.children.forEach((child, at) => {
        if (at === 0 || !isText(child) || child.filename !== undefined) collect(child, view, selected);
        else selected.files.push(child);
      });
      return;
    case 'message/rfc822':
      if (part.children.length > 0) selected.messages.push(part);
      else selected.files.push(part);
      return;
    default:
  }
  if (part.type === 'multipart/mixed') selected.pictures.push(...part.children.filter(isShownPicture));
  if (part.type.startsWith('multipart/')) return part.children.forEach((child) => collect(child, view, selected));
  if (isText(part) && part.disposition !== 'attachment' && (part.filename === undefined || part.id === '1')) {
    selected.bodies.push({ part });
    return;
  }
  selected.files.push(part);
}

function collectAlternative(part: MessagePart, view: BodyView, selected: SelectedParts): void {
  const html =
    part.children.findLast((child) => holds(child, isHtml)) ??
    part.children.findLast((child) => holds(child, (leaf) => markupOf(leaf) !== undefined));
  const text = part.children.find((child) => holds(child, isPlain) && child !== html);
  // The same text in a further form is not shown again.
  const others = part.children.filter((child) => child !== html && child !== text && !markupOf(child));
  if (view === 'raw' || !html || !text) part.children.forEach((child) => collect(child, view, selected));
  else {
    const wanted = view === 'html' ? html : text;
    const before = selected.bodies.length;
    collect(wanted, view, selected);
    const body = selected.bodies[before];
    const alternative = text.type === 'text/plain' ? text : undefined;
    if (view === 'html' && body && alternative) body.alternative = alternative;
    if (view === 'text') selected.alternatives.push(...leavesOf(html).filter(isFormatted));
    // Files beside the HTML, such as its pictures, are files of the mail in each view.
    if (view !== 'html') selected.files.push(...leavesOf(html).filter((leaf) => !isText(leaf)));
    others.forEach((child) => collect(child, view, selected));
  }
}

function isText(part: MessagePart): boolean {
  return isPlain(part) || isFormatted(part);
}

/** True for text that is shown as HTML. */
export function isFormatted(part: MessagePart): boolean {
  return isHtml(part) || markupOf(part) !== undefined;
}

/** Pictures that browsers draw. */
const isShownPicture = ({ type, disposition }: MessagePart): boolean =>
  disposition === 'inline' && /^image\/(?:png|p?jpe?g|gif|webp|bmp)$/.test(type);

const isPlain = ({ type }: MessagePart): boolean => type === 'text/plain';

const isHtml = ({ type }: MessagePart): boolean => type === 'text/html';

function holds(part: MessagePart, isWanted: (leaf: MessagePart) => boolean): boolean {
  if (!part.type.startsWith('multipart/')) return isWanted(part);
  return part.children.some((child) => holds(child, isWanted));
}

function leavesOf(part: MessagePart): MessagePart[] {
  return part.type.startsWith('multipart/') ? part.children.flatMap(leavesOf) : [part];
}
