import { randomUUID } from 'node:crypto';
import {
  CatalogueError,
  isCatalogueError,
  MAX_RAW_SNIPPET_BYTES,
  MAX_SNIPPET_BYTES,
  MAX_SNIPPET_PICTURE_BYTES,
  MAX_SNIPPET_PICTURES,
  SnippetErrors,
  UploadErrors,
  type UserPrincipal,
} from '@groupware/contracts';
import { FILES, type FileStore } from '@groupware/file-store';
import { ContentWorkers } from '@groupware/mail-content';
import { Properties } from '@groupware/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { fileTypeFromBuffer } from 'file-type';
import sharp from 'sharp';
import { isHtml, replacePictures, type SnippetPicture } from '../domain/snippet-content';
import { isFileId, parseSnippetId } from '../domain/snippet-id';
import { OutgoingFiles } from '../sending/outgoing-files';
import type { StoredBytes } from './snippet-claims';
import type { SnippetFileRow } from './snippet.repository';

/** Types of pictures that a text may show: browsers draw them and run nothing of them. */
const SHOWN: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
/** Most pixels of a picture: its bytes say little about the memory that it takes in browsers. */
const MAX_PIXELS = 50_000_000;

/** A picture that becomes a file of the snippet. */
export interface NewPicture extends StoredBytes {
  readonly id: string;
  readonly name: string;
  readonly contentType: string;
}

/** A text as it is stored. */
export interface PreparedText {
  /** Pictures are named by `cid:` and the id of their file. */
  readonly content: string;
  readonly files: readonly NewPicture[];
  /** Ids of all pictures that the text shows. */
  readonly shown: ReadonlySet<string>;
}

/** Prepares texts of snippets to be stored. */
@Injectable()
export class SnippetTexts {
  constructor(
    private readonly workers: ContentWorkers,
    private readonly properties: Properties,
    private readonly outgoing: OutgoingFiles,
    @Inject(FILES) private readonly store: FileStore,
  ) {}

  /**
   * Makes a text safe and takes its pictures out.
   * @param own files that the snippet has
   * @throws SNIPPET-0008, SNIPPET-0009, SNIPPET-0010, SNIPPET-0012, SNIPPET-0013, ANTIVIRUS-0001 to ANTIVIRUS-0003
   */
  async prepareText(
    user: UserPrincipal,
    { content, misc, snippet }: { readonly content: string; readonly misc: unknown; readonly snippet?: number },
    own: readonly SnippetFileRow[],
  ): Promise<PreparedText> {
    const [maxRaw, maxBytes, maxPictures] = await Promise.all(
      [MAX_RAW_SNIPPET_BYTES, MAX_SNIPPET_BYTES, MAX_SNIPPET_PICTURES].map((limit) => this.properties.get(limit, user)),
    );
    const rawBytes = Buffer.byteLength(content);
    if (rawBytes > maxRaw!) throw SnippetErrors.rawTooLarge(maxRaw, rawBytes);
    if (!isHtml(content, misc)) {
      if (rawBytes > maxBytes!) throw SnippetErrors.tooLarge(maxBytes, rawBytes);
      return { content, files: [], shown: new Set() };
    }
    const known = new Set(own.map(({ id }) => id));
    const found: { readonly id: string; readonly picture: SnippetPicture }[] = [];
    const named = replacePictures(content, (picture) => {
      if (picture.kind === 'own')
        return isOwn(picture, snippet) && isFileId(picture.file) && known.has(picture.file) ? picture.file : undefined;
      const id = randomUUID().replaceAll('-', '');
      if (found.length <= maxPictures!) found.push({ id, picture });
      return id;
    });
    const namedBytes = Buffer.byteLength(named);
    if (namedBytes > maxBytes!) throw SnippetErrors.tooLarge(maxBytes, namedBytes);
    const cleaned = await this.workers.runTask({
      kind: 'sanitizeHtml',
      text: { bytes: Buffer.from(named), charset: 'utf-8' },
      options: { fragment: true, cids: [...known, ...found.map(({ id }) => id)], cidUrlPrefix: 'cid:' },
    });
    const shown = new Set(cleaned.shownCids);
    if (shown.size > maxPictures!) throw SnippetErrors.tooManyPictures(maxPictures);
    const files: NewPicture[] = [];
    try {
      for (const { id, picture } of found) if (shown.has(id)) files.push(await this.keepPicture(user, id, picture));
      await this.outgoing.requireClean(
        user,
        files.map((each) => ({ ...each, type: each.contentType })),
      );
    } catch (error) {
      await this.outgoing.discardFiles(files);
      throw error;
    }
    return { content: cleaned.content, files, shown };
  }

  private async keepPicture(user: UserPrincipal, id: string, picture: SnippetPicture): Promise<NewPicture> {
    const maxBytes = await this.properties.get(MAX_SNIPPET_PICTURE_BYTES, user);
    const bytes =
      picture.kind === 'data'
        ? decodeBase64(picture.base64, maxBytes)
        : await this.readManaged(user, picture.kind === 'managed' ? picture.id : '', maxBytes);
    const type = await requirePicture(bytes);
    const { contextId } = user;
    const { reference, sizeBytes, sha256 } = await this.store.write(once(bytes), { maxBytes, contextId });
    const name = `${id.slice(0, 8)}.${type.slice('image/'.length)}`;
    return { id, name, contentType: type, reference, sizeBytes, sha256 };
  }

  /** The bytes of a file that was uploaded before; it goes by itself. */
  private async readManaged(user: UserPrincipal, id: string, maxBytes: number): Promise<Buffer> {
    try {
      const file = await this.outgoing.findManagedFile(user, id);
      if (file.sizeBytes > maxBytes) throw SnippetErrors.pictureTooLarge(maxBytes, file.sizeBytes);
      const parts: Uint8Array[] = [];
      for await (const part of this.outgoing.openFile(file)) parts.push(part);
      return Buffer.concat(parts);
    } catch (error) {
      if (isCatalogueError(error, UploadErrors.notFound)) throw SnippetErrors.badPicture().with({ cause: error });
      throw error;
    }
  }
}

/** Pictures of other snippets are none of this one; a text without address names its own. */
const isOwn = (picture: SnippetPicture & { kind: 'own' }, snippet: number | undefined): boolean =>
  snippet !== undefined && (picture.snippet === '' || parseSnippetId(picture.snippet) === snippet);

function decodeBase64(text: string, maxBytes: number): Buffer {
  const size = Math.floor((text.length * 3) / 4);
  // Line breaks and fillers count for a little.
  if (size > maxBytes * 1.1) throw SnippetErrors.pictureTooLarge(maxBytes, size);
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length > maxBytes) throw SnippetErrors.pictureTooLarge(maxBytes, bytes.length);
  return bytes;
}

/** The type of a picture by its bytes. @throws SNIPPET-0010 */
async function requirePicture(bytes: Buffer): Promise<string> {
  const type = (await fileTypeFromBuffer(bytes))?.mime;
  if (type === undefined || !SHOWN.has(type)) throw SnippetErrors.badPicture();
  try {
    const { width, height, pages = 1 } = await sharp(bytes, { limitInputPixels: MAX_PIXELS }).metadata();
    if (width * height * pages > MAX_PIXELS) throw SnippetErrors.badPicture();
  } catch (cause) {
    throw cause instanceof CatalogueError ? cause : SnippetErrors.badPicture().with({ cause });
  }
  return type;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
