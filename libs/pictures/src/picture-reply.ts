import { FileReply } from '@groupware/contracts';
import type { Picture } from './pictures';

/** A picture with the time when it was set. */
export interface DatedPicture extends Picture {
  /** ms UTC; absent or null where it is not known. */
  readonly changedMs?: number | null;
}

/** A picture as a file that browsers draw; its tag is that of its bytes. */
export const toPictureReply = (
  { contentType, bytes, sha256, changedMs }: DatedPicture,
  {
    name = 'picture',
    cachePolicy,
    expires,
    inline = true,
  }: { name?: string; cachePolicy: string; expires?: string; inline?: boolean },
): FileReply =>
  new FileReply(
    { reference: '', name: nameFor(name, contentType), contentType, sizeBytes: bytes.length, inline },
    {
      headers: {
        ETag: `"${sha256}"`,
        'Cache-Control': cachePolicy,
        ...(expires !== undefined && { Expires: expires }),
        ...(changedMs != null && { 'Last-Modified': new Date(changedMs).toUTCString() }),
      },
    },
    toStream(bytes),
  );

/** The name with an end that tells the type, which may be another one than that of the file. */
function nameFor(name: string, contentType: string): string {
  const end = contentType.split('/')[1]!;
  if (end === 'jpeg' && /\.jpe?g$/i.test(name)) return name;
  return name.toLowerCase().endsWith(`.${end}`) ? name : `${name}.${end}`;
}

async function* toStream(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield Promise.resolve(bytes);
}
