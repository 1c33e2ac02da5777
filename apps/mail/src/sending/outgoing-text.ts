import { isCatalogueError, MailErrors, UploadErrors, type UserRequest } from '@groupware/contracts';
import { ContentError, ContentWorkers, type ContentResult } from '@groupware/mail-content';
import { Injectable } from '@nestjs/common';
import { toPlace } from '../domain/mail-path';
import { extractPictures, type OutgoingPicture } from '../domain/outgoing-pictures';
import { SnippetFiles } from '../snippets/snippet-files';
import { OriginalMails } from './original-mails';
import { OutgoingFiles, type OutgoingFile } from './outgoing-files';

/** Text of a mail as it leaves, and the pictures it shows. */
export interface OutgoingText {
  readonly type: 'text/plain' | 'text/html';
  readonly content: string;
  readonly pictures: readonly OutgoingFile[];
  /** Files of the space that it does not show: they go as attachments. */
  readonly unshown: readonly OutgoingFile[];
}

/** Makes texts of clients ready to leave: what other clients must not run is removed, pictures become parts of the mail. */
@Injectable()
export class OutgoingTexts {
  constructor(
    private readonly workers: ContentWorkers,
    private readonly originals: OriginalMails,
    private readonly files: OutgoingFiles,
    private readonly snippets: SnippetFiles,
  ) {}

  /**
   * @param spaceFiles inline files of a space, by the id of the attachment
   * @throws MSG-0102 for HTML that takes more than the bounds of the workers, MSG-0086 while they have too much to do, MSG-0094 for
   * too many pictures
   */
  async prepareText(
    request: UserRequest,
    { type, content }: { readonly type: 'text/plain' | 'text/html'; readonly content: string },
    spaceFiles: ReadonlyMap<string, OutgoingFile> = new Map(),
  ): Promise<OutgoingText> {
    const own = [...spaceFiles.values()];
    if (type === 'text/plain') return { type, content, pictures: [], unshown: own.map(withoutCid) };
    const spaceCids = new Map([...spaceFiles].flatMap(([id, { cid }]) => (cid === undefined ? [] : [[id, cid]])));
    const { html, pictures } = extractPictures(content, spaceCids);
    const found: OutgoingFile[] = [];
    for (const picture of pictures) {
      const file = await this.findFile(request, picture);
      if (file) found.push({ ...file, cid: picture.cid });
    }
    const cids = [...found, ...own].flatMap(({ cid }) => cid ?? []);
    const cleaned = await this.cleanHtml(html, cids);
    const shown = new Set(cleaned.shownCids);
    const isShown = ({ cid }: OutgoingFile) => cid !== undefined && shown.has(cid);
    return {
      type,
      content: cleaned.content,
      pictures: [...found, ...own].filter(isShown),
      unshown: own.filter((file) => !isShown(file)).map(withoutCid),
    };
  }

  private async cleanHtml(html: string, cids: readonly string[]): Promise<ContentResult> {
    try {
      return await this.workers.runTask({
        kind: 'sanitizeHtml',
        text: { bytes: Buffer.from(html), charset: 'utf-8' },
        options: { cids, cidUrlPrefix: 'cid:', withoutSessions: true },
      });
    } catch (error) {
      if (!(error instanceof ContentError)) throw error;
      const isPassing = error.reason === 'busy' || error.reason === 'closed';
      throw (isPassing ? MailErrors.processingFailed(error.reason) : MailErrors.contentTooLarge()).with({
        cause: error,
      });
    }
  }

  /** Undefined for a picture that is gone: the mail goes without it. */
  private async findFile(request: UserRequest, picture: OutgoingPicture): Promise<OutgoingFile | undefined> {
    switch (picture.kind) {
      case 'snippet':
        try {
          const file = await this.snippets.getFile(request.principal, picture.snippet, picture.attachment);
          return { ...file, type: file.contentType };
        } catch {
          return undefined;
        }
      case 'managed':
        try {
          const file = await this.files.findManagedFile(request.principal, picture.id);
          return await this.files.keepFile(request.principal, this.files.openFile(file), file);
        } catch (error) {
          if (isCatalogueError(error, UploadErrors.notFound)) return undefined;
          throw error;
        }
      case 'data': {
        const bytes = Buffer.from(picture.base64, 'base64');
        const name = `picture.${picture.type.slice('image/'.length)}`;
        return this.files.keepFile(request.principal, bytesOf(bytes), { name, type: picture.type });
      }
      case 'part':
        try {
          const place = toPlace(picture.folder, picture.id);
          return (await this.originals.keepParts(request, place, [picture.part]))[0];
        } catch {
          return undefined;
        }
    }
  }
}

const withoutCid = ({ name, type, reference, sizeBytes }: OutgoingFile): OutgoingFile => ({
  name,
  type,
  reference,
  sizeBytes,
});

async function* bytesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
