import { FileReply } from '@groupware/contracts';
import type { FileStore } from './file-store';

/** Characters that are worth a write: one for each piece would cost more than the piece. */
const PIECE = 65_536;

/** The file that pieces of text make. */
export interface TextFile {
  readonly name: string;
  /** With the charset, UTF-8. */
  readonly contentType: string;
  readonly maxBytes: number;
}

/** Writes a file of text as its pieces come; it goes once it was sent. */
export async function writeTextFile(
  files: FileStore,
  texts: AsyncIterable<string>,
  { name, contentType, maxBytes }: TextFile,
): Promise<FileReply> {
  const { reference, sizeBytes } = await files.write(encodeUtf8(texts), { maxBytes });
  return new FileReply({ reference, name, contentType, sizeBytes, temporary: true });
}

/** Text as bytes, in pieces of about 64 Ki characters. */
export async function* encodeUtf8(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  let pending = '';
  for await (const text of texts) {
    pending += text;
    if (pending.length < PIECE) continue;
    yield Buffer.from(pending);
    pending = '';
  }
  if (pending !== '') yield Buffer.from(pending);
}

/** Bytes as text, piece by piece. */
export async function* decodeUtf8(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const piece of bytes) yield decoder.decode(piece, { stream: true });
  yield decoder.decode();
}

/** A name without the characters that file systems do not allow. */
export const toFileName = (title: string): string => title.replace(/[\\/:*?"<>|\p{Cc}]/gu, '_');
