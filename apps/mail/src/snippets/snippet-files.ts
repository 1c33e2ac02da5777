import { randomUUID } from 'node:crypto';
import {
  FileReply,
  MAX_SNIPPET_FILES,
  QuotaErrors,
  recordCheck,
  SNIPPET_RIGHTS,
  SnippetErrors,
  UploadErrors,
  type SnippetUploadQuery,
  type UploadedFile,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Properties } from '@groupware/service-kit';
import { StoredFileRepository, StoredFiles } from '@groupware/stored-files';
import { Injectable } from '@nestjs/common';
import { resolveShownType } from '../compose/shown-type';
import { isFileId, toFileId } from '../domain/snippet-id';
import { OutgoingFiles } from '../sending/outgoing-files';
import { SnippetClaims } from './snippet-claims';
import { SnippetRepository, type SnippetFileRow } from './snippet.repository';
import { Snippets } from './snippets';

/** Kinds of media types by the names that clients give. */
const KINDS: Readonly<Record<SnippetUploadQuery['type'], RegExp>> = {
  file: /^/,
  text: /^text\//i,
  media: /^(image|audio|video)\//i,
  image: /^image\//i,
  audio: /^audio\//i,
  video: /^video\//i,
  application: /^application\//i,
};

/** Keeps files of snippets. */
@Injectable()
export class SnippetFiles {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly rows: SnippetRepository,
    private readonly contents: StoredFileRepository,
    private readonly stored: StoredFiles,
    private readonly snippets: Snippets,
    private readonly claims: SnippetClaims,
    private readonly outgoing: OutgoingFiles,
    private readonly properties: Properties,
    private readonly clock: Clock,
  ) {}

  /** Attaches uploads, all or none. @throws UPL-0006, UPL-0011, SNIPPET-0003, SNIPPET-0011, QUOTA-0003, ANTIVIRUS-0001 to 0003 */
  async attachFiles(
    user: UserPrincipal,
    { id, type }: SnippetUploadQuery,
    uploads: readonly UploadedFile[],
  ): Promise<string> {
    if (uploads.length === 0) throw UploadErrors.missingParameter('file');
    await this.database.read(user, (db) => this.snippets.openOwn(db, user, id));
    const files = await Promise.all(uploads.map((each) => this.toNewFile(each, type)));
    await this.outgoing.requireClean(user, this.outgoing.fromUploads(uploads));
    const most = await this.properties.get(MAX_SNIPPET_FILES, user);
    await this.claims.writeWithFiles(
      user,
      async () => ({ files, areUploads: true }),
      async (tx, _prepared, { stamp }, references) => {
        const { row, files: present } = await this.snippets.openOwn(tx, user, id);
        if (present.length + files.length > most)
          throw QuotaErrors.exceeded('attachments of a snippet', present.length, most);
        await this.rows.insertFiles(
          tx,
          files.map(({ sha256, ...file }) => ({ ...file, snippetId: row.id, reference: references.get(sha256)! })),
        );
        await this.rows.update(tx, { ...row, revision: stamp });
        return row.id;
      },
    );
    return id;
  }

  /** Removes files, all or none. @throws SNIPPET-0003, SNIPPET-0007, SNIPPET-0011 */
  async detachFiles(user: UserPrincipal, id: string, wanted: readonly string[]): Promise<string> {
    const released = await this.database.transact(user, async (tx) => {
      const { stamp } = await this.contents.advanceCounters(tx, this.clock.now(), 0);
      recordCheck(SNIPPET_RIGHTS.write);
      const { row, files } = await this.snippets.openOwn(tx, user, id);
      const known = new Set(files.map((file) => file.id));
      const ids = wanted.map(toFileId);
      const missing = ids.findIndex((each) => !known.has(each));
      if (missing >= 0) throw SnippetErrors.attachmentNotFound(wanted[missing], id);
      const references = await this.rows.deleteFiles(tx, row.id, ids);
      await this.rows.update(tx, { ...row, revision: stamp });
      return this.contents.releaseUnused(tx, references, stamp);
    });
    await this.stored.abandonContents(user, released);
    return id;
  }

  /** A file of a snippet that the user sees. @throws SNIPPET-0003, SNIPPET-0007 */
  async getFile(user: UserPrincipal, id: string, attachmentId: string): Promise<SnippetFileRow> {
    const { files } = await this.database.read(user, (db) => this.snippets.openVisible(db, user, id));
    const wanted = toFileId(attachmentId);
    const file = isFileId(wanted) ? files.find((each) => each.id === wanted) : undefined;
    if (!file) throw SnippetErrors.attachmentNotFound(attachmentId, id);
    return file;
  }

  private async toNewFile(
    { reference, name, contentType, sizeBytes, sha256 }: UploadedFile,
    kind: SnippetUploadQuery['type'],
  ): Promise<Omit<SnippetFileRow, 'snippetId'> & { readonly sha256: string }> {
    if (sha256 === undefined) throw UploadErrors.failed('the file has no hash');
    const sniffed = sizeBytes > 0 ? await this.stored.sniffType(reference) : null;
    const found = sniffed ?? contentType;
    if (!KINDS[kind].test(found)) throw UploadErrors.wrongType(found, kind);
    const id = randomUUID().replaceAll('-', '');
    return { id, reference, name: name || 'file', contentType, sniffed, sizeBytes, inline: false, sha256 };
  }
}

/** The bytes of a file: pictures are shown as what they are, everything else is saved. */
export const toFileReply = (
  { reference, name, sizeBytes, contentType, sniffed }: SnippetFileRow,
  headers: Readonly<Record<string, string>> = {},
): FileReply => new FileReply({ reference, name, sizeBytes, ...resolveShownType(contentType, sniffed) }, { headers });
