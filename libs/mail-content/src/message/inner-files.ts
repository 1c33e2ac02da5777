import libmime from 'libmime';
import { selectParts } from './body-selection';
import { filenameOf } from './filename';
import { readPartBegin } from './part-begin';
import type { MessagePart, PartSource } from './part-source';
import { parseTnef, type TnefContent } from './tnef';
import { cutUuencoded, decodeUuencoded, findUuencoded, MAX_UUENCODED } from './uuencode';

/** A file within a part: of winmail.dat, or uuencoded in a text. */
export interface InnerFile {
  /** Number of its part, `.` and its own. */
  id: string;
  filename: string;
  type: string;
  size: number;
  read: () => Iterable<Buffer>;
}

/** Largest winmail.dat that is unpacked, bytes; larger ones stay files. */
const MAX_TNEF_BYTES = 32 * 1024 * 1024;
/** So much of a text is searched for files, bytes: it holds up all other calls. */
const MAX_TEXT_BYTES = 10 * 1024 * 1024;

/** Of each mail the part whose files were read last: who wants one of them wants the others next. */
const lastRead = new WeakMap<PartSource, { readonly id: string; readonly files: Promise<InnerFile[]> }>();

/** The files within a part; none for a part that cannot hold any. */
export function readInnerFiles(source: PartSource, part: MessagePart): Promise<InnerFile[]> {
  const last = lastRead.get(source);
  if (last?.id === part.id) return last.files;
  const files = unpack(source, part);
  lastRead.set(source, { id: part.id, files });
  return files;
}

/** True for parts in Outlook's own format. */
export function isTnef(part: MessagePart): boolean {
  return /^application\/(?:vnd\.)?ms-tnef$/.test(part.type) || /^winmail\.dat$/i.test(part.filename ?? '');
}

/** Unpacks a part in Outlook's own format; undefined when it is too large or none. */
export async function readTnef(source: PartSource, part: MessagePart): Promise<TnefContent | undefined> {
  if (part.size > MAX_TNEF_BYTES * 1.4) return undefined;
  const { bytes, isCut } = await readPartBegin(source, part, MAX_TNEF_BYTES);
  return isCut ? undefined : parseTnef(bytes);
}

/** The files of an unpacked part. */
export const listTnefFiles = (part: MessagePart, { files }: TnefContent): InnerFile[] =>
  files.map(({ filename, type, content }, at) =>
    toFile(part, at, { filename, size: content.length, read: () => [content], ...(type ? { type } : {}) }),
  );

/** Takes uuencoded files out of the text of a part, so many at most. */
export function takeUuencoded(
  part: MessagePart,
  text: Buffer,
  most = MAX_UUENCODED,
): { readonly text: Buffer; readonly files: InnerFile[] } {
  const blocks = findUuencoded(text, part.parameters['charset'], most);
  if (blocks.length === 0) return { text, files: [] };
  const files = blocks.map((block, at) =>
    toFile(part, at, { filename: block.filename, size: block.size, read: () => decodeUuencoded(text, block) }),
  );
  return { text: cutUuencoded(text, blocks), files };
}

/** Numbers of the files that stand in the texts of a mail. It reads its plain texts. */
export async function listTextFiles(source: PartSource): Promise<string[]> {
  const ids: string[] = [];
  for (const { part } of selectParts(source.structure, 'html').bodies) {
    if (ids.length >= MAX_UUENCODED) break;
    if (part.type === 'text/plain') ids.push(...(await readInnerFiles(source, part)).map(({ id }) => id));
  }
  return ids.slice(0, MAX_UUENCODED);
}

async function unpack(source: PartSource, part: MessagePart): Promise<InnerFile[]> {
  if (isTnef(part)) {
    const content = await readTnef(source, part);
    return content ? listTnefFiles(part, content) : [];
  }
  if (part.type !== 'text/plain') return [];
  const { bytes } = await readPartBegin(source, part, MAX_TEXT_BYTES);
  return takeUuencoded(part, bytes).files;
}

function toFile(
  part: MessagePart,
  at: number,
  file: Pick<InnerFile, 'filename' | 'size' | 'read'> & { readonly type?: string },
): InnerFile {
  const id = `${part.id}.${at + 1}`;
  return {
    type: libmime.detectMimeType(file.filename),
    ...file,
    id,
    filename: filenameOf({ id, type: 'application/octet-stream', filename: file.filename }),
  };
}
