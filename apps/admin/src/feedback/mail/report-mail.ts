import { randomBytes } from 'node:crypto';
import { encodeWord, encodeWords } from 'nodemailer/lib/mime-funcs';

/** Bytes that may be read more than once. */
export type Bytes = () => AsyncIterable<Uint8Array>;

/** Content of a report. */
export interface ReportContent {
  readonly text: string;
  readonly file: { readonly name: string; readonly contentType: string; readonly bytes: Bytes };
}

/** Sender, recipient and subject of a report. */
export interface ReportEnvelope {
  readonly from: { readonly name: string; readonly address: string };
  readonly to: { readonly name: string; readonly address: string };
  readonly subject: string;
  /** ms UTC. */
  readonly date: number;
}

const LINE = '\r\n';
/** Bytes that fill a line of base64. */
const GROUP = 57;
/** Lines are gathered into pieces of about this many groups. */
const PIECE = GROUP * 1024;

/** A boundary that occurs in no part. */
export const createBoundary = (): string => `=_${randomBytes(18).toString('hex')}`;

/** Lines of base64 (RFC 2045, section 6.8), piece by piece. */
async function* encodeBase64Lines(source: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest = Buffer.alloc(0);
  for await (const part of source) {
    const known =
      rest.length > 0 ? Buffer.concat([rest, part]) : Buffer.from(part.buffer, part.byteOffset, part.byteLength);
    const whole = known.length - (known.length % GROUP);
    for (let start = 0; start < whole; start += PIECE)
      yield lines(known.subarray(start, Math.min(start + PIECE, whole)));
    rest = Buffer.from(known.subarray(whole));
  }
  if (rest.length > 0) yield lines(rest);
}

const lines = (bytes: Buffer): string => bytes.toString('base64').replace(/.{1,76}/g, `$&${LINE}`);

const formatHead = (...fields: string[]): string => `${fields.join(LINE)}${LINE}${LINE}`;

/** The content as one MIME entity: the same bytes each time, so that a signature over it holds. */
export async function* createContentEntity(content: ReportContent, boundary: string): AsyncGenerator<string> {
  const { name, contentType, bytes } = content.file;
  yield formatHead(`Content-Type: multipart/mixed; boundary="${boundary}"`);
  yield `--${boundary}${LINE}`;
  yield formatHead('Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: base64');
  // The line end before a boundary belongs to the boundary, so an empty text needs one of its own.
  yield lines(Buffer.from(content.text.replace(/\r\n|\r|\n/g, LINE))) || LINE;
  yield `--${boundary}${LINE}`;
  yield formatHead(
    `Content-Type: ${contentType}; name="${name}"`,
    'Content-Transfer-Encoding: base64',
    `Content-Disposition: attachment; filename="${name}"`,
  );
  yield* encodeBase64Lines(bytes());
  yield `--${boundary}--${LINE}`;
}

const toOneLine = (text: string): string => text.replace(/\p{C}+/gu, ' ').trim();

function formatMailbox({ name, address }: { name: string; address: string }): string {
  const shown = toOneLine(name);
  if (shown === '') return `<${address}>`;
  const word = /^[\x20-\x7e]*$/.test(shown) ? `"${shown.replace(/["\\]/g, '\\$&')}"` : encodeWord(shown, 'B', 52);
  return `${word} <${address}>`;
}

/** The head of a mail, without the fields of its content. */
export function formatMailHead({ from, to, subject, date }: ReportEnvelope): string {
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  const encoded = encodeWords(toOneLine(subject), 'B', 52).replace(/\?= =\?/g, `?=${LINE} =?`);
  return [
    `From: ${formatMailbox(from)}`,
    `To: ${formatMailbox(to)}`,
    `Subject: ${encoded}`,
    `Date: ${new Date(date).toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${randomBytes(16).toString('hex')}@${domain}>`,
    'MIME-Version: 1.0',
    'Auto-Submitted: auto-generated',
    '',
  ].join(LINE);
}

/** A signed entity (RFC 3156, section 5). */
export async function* createSignedEntity(
  entity: AsyncIterable<string>,
  signature: string,
  boundary: string,
): AsyncGenerator<string> {
  yield formatHead(
    `Content-Type: multipart/signed; micalg=pgp-sha512; protocol="application/pgp-signature"; boundary="${boundary}"`,
  );
  yield `--${boundary}${LINE}`;
  yield* entity;
  // The line end before the boundary belongs to the boundary.
  yield `${LINE}--${boundary}${LINE}`;
  yield formatHead(
    'Content-Type: application/pgp-signature; name="signature.asc"',
    'Content-Description: OpenPGP signature',
  );
  yield `${normalizeLineEnds(signature)}${LINE}--${boundary}--${LINE}`;
}

/** An encrypted entity (RFC 3156, section 4). */
export async function* createEncryptedEntity(
  armoured: AsyncIterable<string>,
  boundary: string,
): AsyncGenerator<string> {
  yield formatHead(`Content-Type: multipart/encrypted; protocol="application/pgp-encrypted"; boundary="${boundary}"`);
  yield `--${boundary}${LINE}`;
  yield formatHead('Content-Type: application/pgp-encrypted');
  yield `Version: 1${LINE}${LINE}--${boundary}${LINE}`;
  yield formatHead(
    'Content-Type: application/octet-stream; name="encrypted.asc"',
    'Content-Disposition: inline; filename="encrypted.asc"',
  );
  let isAfterReturn = false;
  for await (const piece of armoured) {
    // A CRLF may be cut in two by the pieces.
    const text = isAfterReturn && piece.startsWith('\n') ? piece.slice(1) : piece;
    isAfterReturn = piece.endsWith('\r');
    yield normalizeLineEnds(text);
  }
  yield `${LINE}--${boundary}--${LINE}`;
}

const normalizeLineEnds = (text: string): string => text.replace(/\r\n|\r|\n/g, LINE);
