import { randomUUID } from 'node:crypto';
import {
  ComposeErrors,
  MailErrors,
  MAX_MAIL_FILES,
  MAX_MAIL_SIZE,
  UploadErrors,
  type ComposeAttachmentQuery,
  type ComposeAttachmentReading,
  type ComposeSpaceQuery,
  type UserPrincipal,
} from '@groupware/contracts';
import { FILES, type FileStore } from '@groupware/file-store';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { Clock, Properties } from '@groupware/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { fileTypeFromBuffer } from 'file-type';
import { OutgoingFiles, type OutgoingFile } from '../sending/outgoing-files';
import { isWireId, requireClaim, toKey, toWireId } from './compose-spaces';
import { ComposeRepository, type AttachmentRow, type SpaceKey } from './compose.repository';

/** Origin of files that came with the request. */
export const UPLOAD = 'UPLOAD';
/** The type stands within so many bytes. */
const HEAD_BYTES = 4_100;

/** A file that is attached: its bytes are in the file store, unclaimed. */
export interface NewAttachment extends OutgoingFile {
  /** Id that the text names already; absent: a new one. */
  readonly id?: string;
  readonly isInline?: boolean;
  readonly origin: string;
  /** Part of the original; a second one with the same is not added. */
  readonly source?: string;
}

/** Limits of the files of a mail. */
interface Limits {
  readonly maxBytes: number;
  readonly maxFiles: number;
}

/** Keeps files of mails that users write. */
@Injectable()
export class ComposeFiles {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly rows: ComposeRepository,
    private readonly files: OutgoingFiles,
    private readonly properties: Properties,
    private readonly clock: Clock,
    @Inject(FILES) private readonly store: FileStore,
  ) {}

  /**
   * Attaches files, all or none; what is not kept is removed, except uploads: another process may have got the
   * same call, so the edge alone removes them, when it is over.
   * @param replaced id of the file that they stand for
   * @throws MSGCS-0007, MSGCS-0009, MSGCS-0010, MSG-0088, MSG-0094, ANTIVIRUS-0001 to ANTIVIRUS-0003
   */
  async addFiles(
    user: UserPrincipal,
    query: Pick<ComposeSpaceQuery, 'id' | 'clientToken'>,
    files: readonly NewAttachment[],
    replaced?: string,
  ): Promise<AttachmentRow[]> {
    try {
      const key = toKey(user, query);
      await this.files.requireClean(user, files);
      const added = await Promise.all(files.map((file) => this.toRow(key, file, replaced)));
      const limits = await this.getLimits(user);
      // Rows first: bytes that are kept without one would stay for ever, and what has one is found by the sweep.
      const noted = await this.database.transact(user, async (tx) => {
        const wanted = await this.selectNew(tx, key, query, added, { limits, replaced });
        if (wanted.length > 0) await this.rows.insertAttachments(tx, user.userId, wanted, this.clock.now());
        return wanted;
      });
      for (const { reference } of noted)
        if (!(await this.store.claim(reference))) throw UploadErrors.failed('the file is gone');
      return await this.database.transact(user, async (tx) => {
        // Others may have attached files since; the sweep removes what is not wanted any more.
        const wanted = await this.selectNew(tx, key, query, noted, { limits, replaced });
        const now = this.clock.now();
        if (replaced !== undefined) await this.rows.removeAttachment(tx, key, replaced, null, now);
        const references = wanted.map(({ reference }) => reference);
        const confirmed = await this.rows.confirmAttachments(tx, user.userId, references);
        if (confirmed < wanted.length) throw UploadErrors.failed('the file is gone');
        await this.rows.touch(tx, key, now);
        return wanted;
      });
    } finally {
      await this.files.discardFiles(files.filter(({ origin }) => origin !== UPLOAD));
    }
  }

  /** A file of a space. @throws MSGCS-0009 */
  async getFile(user: UserPrincipal, query: ComposeAttachmentReading): Promise<AttachmentRow> {
    const key = toKey(user, query);
    const { attachmentId } = query;
    const found = await this.database.read(user, (db) => this.rows.listAttachments(db, user.userId, [key.id]));
    const file = found.find(({ id }) => toWireId(id) === attachmentId);
    if (!file) throw ComposeErrors.attachmentNotFound(attachmentId, query.id);
    return file;
  }

  /** Takes a file out of its space. @throws MSGCS-0007, MSGCS-0009, MSGCS-0010 */
  async removeFile(user: UserPrincipal, query: ComposeAttachmentQuery): Promise<void> {
    const key = toKey(user, query);
    const { attachmentId } = query;
    if (!isWireId(attachmentId)) throw ComposeErrors.attachmentNotFound(attachmentId, query.id);
    await this.database.transact(user, async (tx) => {
      await this.requireFree(tx, key, query);
      const now = this.clock.now();
      if ((await this.rows.removeAttachment(tx, key, attachmentId, null, now)) === 0)
        throw ComposeErrors.attachmentNotFound(attachmentId, query.id);
      await this.rows.touch(tx, key, now);
    });
  }

  private async getLimits(user: UserPrincipal): Promise<Limits> {
    return {
      maxBytes: await this.properties.get(MAX_MAIL_SIZE, user),
      maxFiles: await this.properties.get(MAX_MAIL_FILES, user),
    };
  }

  /** Locks a space; answers the files that it has not got yet. @throws MSGCS-0007, MSGCS-0009, MSGCS-0010, MSG-0088, MSG-0094 */
  private async selectNew(
    tx: Transaction,
    key: SpaceKey,
    query: Pick<ComposeSpaceQuery, 'id' | 'clientToken'>,
    added: readonly AttachmentRow[],
    { limits, replaced }: { readonly limits: Limits; readonly replaced: string | undefined },
  ): Promise<AttachmentRow[]> {
    await this.requireFree(tx, key, query);
    const present = await this.rows.listAttachments(tx, key.userId, [key.id]);
    if (replaced !== undefined && !present.some(({ id }) => toWireId(id) === replaced))
      throw ComposeErrors.attachmentNotFound(replaced, toWireId(key.id));
    const known = new Set(present.flatMap(({ source }) => source ?? []));
    const wanted = added.filter(({ source }) => source === null || !known.has(source));
    const all = [...present.filter(({ id }) => toWireId(id) !== replaced), ...wanted];
    if (all.length > limits.maxFiles) throw MailErrors.tooManyFiles(limits.maxFiles);
    const bytes = all.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    if (bytes > limits.maxBytes) throw MailErrors.mailTooLarge(limits.maxBytes);
    return wanted;
  }

  private async requireFree(
    tx: Transaction,
    key: SpaceKey,
    query: Pick<ComposeSpaceQuery, 'id' | 'clientToken'>,
  ): Promise<void> {
    const found = await this.rows.lock(tx, key);
    if (!found) throw ComposeErrors.notFound(toWireId(key.id));
    if (found.busyUntil !== null && found.busyUntil > this.clock.now())
      throw ComposeErrors.concurrentUpdate(toWireId(key.id));
    requireClaim(found, query);
  }

  private async toRow(key: SpaceKey, file: NewAttachment, replaced: string | undefined): Promise<AttachmentRow> {
    const head: Uint8Array[] = [];
    if (file.sizeBytes > 0)
      for await (const part of this.store.read(file.reference, { start: 0, end: HEAD_BYTES - 1 })) head.push(part);
    const sniffed = (await fileTypeFromBuffer(Buffer.concat(head)))?.mime ?? null;
    return {
      id: replaced ?? file.id ?? toWireId(randomUUID()),
      spaceId: key.id,
      reference: file.reference,
      name: file.name,
      contentType: file.type,
      sniffed,
      sizeBytes: file.sizeBytes,
      cid: file.isInline ? (file.cid ?? `${toWireId(randomUUID())}@compose`) : null,
      origin: file.origin,
      source: file.source ?? null,
    };
  }
}
