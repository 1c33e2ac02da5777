import { CatalogueError, FileReply, ImageErrors, mailPicture, type CallOf, type Handler } from '@groupware/contracts';
import { findPart } from '@groupware/mail-content';
import { Pictures, toPictureReply } from '@groupware/pictures';
import { Handles } from '@groupware/service-kit';
import { fileTypeFromBuffer } from 'file-type';
import { SHOWN_PICTURES } from '../compose/shown-type';
import { parseMailFolder, toMailFolderId } from '../domain/mail-folder';
import { OpenedMails } from '../downloads/opened-mails';
import { findPartByName, PartFiles } from '../downloads/part-files';

/** The type stands within so many bytes. */
const HEAD_BYTES = 4_100;
/** The address names no user: another one of the browser must not see what this one saw. */
const CACHE_POLICY = 'private, no-cache';

/** A picture within a mail. Whatever is wrong, there is no picture: a page must not learn more. */
@Handles(mailPicture.picture)
export class MailPictureHandler implements Handler<typeof mailPicture.picture> {
  constructor(
    private readonly mails: OpenedMails,
    private readonly files: PartFiles,
    private readonly pictures: Pictures,
  ) {}

  async handle(call: CallOf<typeof mailPicture.picture>): Promise<FileReply> {
    try {
      return await this.findPicture(call);
    } catch (error) {
      if (error instanceof CatalogueError) throw ImageErrors.notFound().with({ cause: error });
      throw error;
    }
  }

  private async findPicture(call: CallOf<typeof mailPicture.picture>): Promise<FileReply> {
    const { query } = call;
    const named = parseMailFolder(query.folder);
    const folder = toMailFolderId(
      query.folder.startsWith('default') ? named : { ...named, account: query.accountId ?? 0 },
    );
    const opened = await this.mails.openMail(call, folder, query.id, false);
    const { structure } = opened.source;
    const part = findPart(structure, { cid: query.uid }) ?? findPartByName(structure, query.uid);
    const findFile = async () => part && (await this.files.findFile(opened, { id: part.id }));
    const file = await findFile();
    if (!part || !file) throw ImageErrors.notFound();
    let isRead = false;
    const open = () => {
      isRead = true;
      return file.open();
    };
    const changed = await this.pictures.transform({ sizeBytes: part.size, open }, query);
    if (changed) return toPictureReply(changed, { name: file.filename, cachePolicy: CACHE_POLICY });
    const { head, content } = await readHead((isRead ? ((await findFile()) ?? file) : file).open());
    const type = (await fileTypeFromBuffer(head))?.mime;
    const isShown = type !== undefined && SHOWN_PICTURES.has(type);
    return new FileReply(
      {
        reference: '',
        name: file.filename,
        contentType: isShown ? type : 'application/octet-stream',
        inline: isShown,
      },
      { headers: { ETag: opened.tagOf(part.id), 'Cache-Control': CACHE_POLICY } },
      content,
    );
  }
}

/** Reads the first bytes, which are part of the content all the same. */
async function readHead(source: AsyncIterable<Buffer>): Promise<{ head: Buffer; content: AsyncIterable<Buffer> }> {
  const rest = source[Symbol.asyncIterator]();
  const chunks: Buffer[] = [];
  let size = 0;
  let isOver = false;
  while (!isOver && size < HEAD_BYTES) {
    const next = await rest.next();
    isOver = next.done === true;
    if (!next.done) {
      chunks.push(next.value);
      size += next.value.length;
    }
  }
  const head = Buffer.concat(chunks);
  async function* content(): AsyncGenerator<Buffer> {
    try {
      if (head.length > 0) yield head;
      for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
    } finally {
      await rest.return?.();
    }
  }
  return { head, content: content() };
}
