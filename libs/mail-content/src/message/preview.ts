import type { ContentTask } from '../worker/content-task';
import { ContentError, type ContentWorkers } from '../worker/content-workers';
import { isFormatted, selectParts } from './body-selection';
import { toEncodedText } from './encoded-text';
import type { MessagePart } from './part-source';
import { decodePartBegin } from './part-text';
import { encodedLimit } from './transfer-encoding';
import { cutUuencoded, findUuencoded, MAX_UUENCODED } from './uuencode';

/** Longest preview, characters. */
const MAX_CHARACTERS = 200;
/** Bytes of a text that are enough for it; an HTML part begins with styles. */
const TEXT_BYTES = 2_048;
const HTML_BYTES = 16_384;

/** Part that a preview is made of, and how many of its encoded bytes are enough. */
export interface PreviewPart {
  readonly part: MessagePart;
  readonly maxBytes: number;
}

/** The first text of a mail, plain text rather than HTML; undefined for one without text. */
export function findPreviewPart(structure: MessagePart): PreviewPart | undefined {
  const part = selectParts(structure, 'text').bodies[0]?.part;
  return part && { part, maxBytes: encodedLimit(isFormatted(part) ? HTML_BYTES : TEXT_BYTES, part.encoding) };
}

/** The begin of a text in one line, by the first bytes of its part; undefined when it cannot be read now. */
export async function createPreview(
  workers: ContentWorkers,
  part: MessagePart,
  begin: Buffer,
): Promise<string | undefined> {
  const isHtml = isFormatted(part);
  const bytes = await decodePartBegin(part.encoding, begin);
  const text = toEncodedText(part, isHtml ? bytes : cutFiles(bytes, begin.length < part.size));
  const task: ContentTask = isHtml ? { kind: 'htmlToText', text } : { kind: 'decodeText', texts: [text] };
  try {
    const { content } = await workers.runTask(task);
    // Addresses behind the texts of links.
    return toLine(isHtml ? content.replace(/<(?:https?|mailto):[^<>\s]*>/gi, '') : content);
  } catch (error) {
    if (error instanceof ContentError) return undefined;
    throw error;
  }
}

const cutFiles = (text: Buffer, isCut: boolean): Buffer =>
  cutUuencoded(text, findUuencoded(text, undefined, MAX_UUENCODED, isCut));

/** The first line of what was written; what it quotes only where there is nothing else. */
function toLine(text: string): string {
  const own = text.replace(/^>.*$/gm, '');
  const line = (own.trim() === '' ? text : own).replace(/\s+/g, ' ').trim();
  // No half of a pair, as of an emoji.
  return line.slice(0, MAX_CHARACTERS).replace(/[\ud800-\udbff]$/, '');
}
