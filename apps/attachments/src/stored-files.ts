import { Inject, Injectable } from '@nestjs/common';
import { AttachmentErrors, FileErrors, type Tenant, type UploadedFile } from '@groupware/contracts';
import { FILES, storeIdOf, type FileStore } from '@groupware/file-store';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Logger } from '@groupware/service-kit';
import { fileTypeFromBuffer } from 'file-type';
import { type Content, StoredFileRepository } from './persistence/stored-file.repository';

/** First bytes that show the type of a file. */
const SNIFFED_BYTES = 4100;

const log = Logger.for('attachments');

/**
 * Contents between the file store and the database. The order makes every loss of power harmless: the intent is committed
 * before the store keeps the bytes, and the row goes after the bytes. So each kept file has a row, and a row that stays
 * `claiming` or `dying` tells the sweep what to remove.
 */
@Injectable()
export class StoredFiles {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contents: StoredFileRepository,
    private readonly clock: Clock,
    @Inject(FILES) private readonly store: FileStore,
  ) {}

  /**
   * Makes uploaded files stay: one content for files that are equal, none for those the context has already. A file that was
   * uploaded to another store, since the context moved meanwhile, is copied.
   * @param held what earlier tries claimed, taken again where it fits; this one is added. It must be kept or given up
   * @returns the contents that are not known yet
   * @throws ATT-0400 when the store fails
   */
  async claim(tenant: Tenant, files: readonly UploadedFile[], storeId: number, held: Content[]): Promise<Content[]> {
    const byHash = new Map<string, UploadedFile>();
    for (const file of files) if (!byHash.has(hashOf(file))) byHash.set(hashOf(file), file);
    const known = await this.database.read(tenant, (db) => this.contents.kept(db, [...byHash.keys()]));
    for (const { sha256 } of known) byHash.delete(sha256);
    const again: Content[] = [];
    const fresh: Content[] = [];
    try {
      for (const [sha256, file] of byHash) {
        const mine = held.filter((content) => content.sha256 === sha256);
        const there = mine.find(({ reference }) => storeIdOf(reference) === storeId);
        if (there) again.push(there);
        else fresh.push(await this.placed(mine[0] ?? { ...file, sha256, sniffed: null }, storeId));
      }
      if (fresh.length > 0) {
        await this.database.transact(tenant, (tx) => this.contents.intend(tx, fresh, this.clock.now()));
        held.push(...fresh);
        for (const { reference } of fresh) await this.keep(reference);
      }
      return [...again, ...fresh];
    } catch (cause) {
      throw AttachmentErrors.notSaved().with({ cause });
    }
  }

  /** Copies a content to another store, unclaimed. @throws FLS-0003 when its bytes are not what they were */
  async copy({ reference, sha256, sizeBytes, sniffed }: Content, storeId: number): Promise<Content> {
    const copy = await this.store.write(this.store.read(reference), { maxBytes: sizeBytes, storeId });
    if (copy.sha256 === sha256) return { reference: copy.reference, sha256, sizeBytes, sniffed };
    await this.store.discard(copy.reference);
    throw FileErrors.failed('a file is damaged');
  }

  /** Makes bytes stay whose intent is noted. @throws ATT-0400 when they are gone */
  async keep(reference: string): Promise<void> {
    if (!(await this.store.claim(reference))) throw AttachmentErrors.notSaved();
  }

  /** Gives up contents that nobody keeps, and removes their bytes. Never fails: the sweep does the rest. */
  async giveUp(tenant: Tenant, references: readonly string[]): Promise<void> {
    if (references.length === 0) return;
    try {
      const released = await this.database.transact(tenant, (tx) =>
        this.contents.abandon(tx, references, this.clock.now()),
      );
      await this.purge(tenant, released);
    } catch (error) {
      log.warn({ cause: String(error) }, 'files are left to the sweep');
    }
  }

  /** Removes the bytes of contents that are marked as dying, then their rows. */
  async purge(tenant: Tenant, references: readonly string[]): Promise<void> {
    if (references.length === 0) return;
    for (const reference of references) await this.store.remove(reference);
    await this.database.transact(tenant, (tx) => this.contents.forget(tx, references));
  }

  /** Removes uploads that are not needed: their content is known, or nobody claimed them. Never fails. */
  async discard(files: readonly UploadedFile[]): Promise<void> {
    await Promise.allSettled(files.map(({ reference }) => this.store.discard(reference)));
  }

  private async placed(content: Content, storeId: number): Promise<Content> {
    const sniffed = await this.sniffed(content.reference);
    const known = { ...content, sniffed };
    return storeIdOf(content.reference) === storeId ? known : this.copy(known, storeId);
  }

  private async sniffed(reference: string): Promise<string | null> {
    const parts: Uint8Array[] = [];
    for await (const part of this.store.read(reference, { start: 0, end: SNIFFED_BYTES - 1 })) parts.push(part);
    return (await fileTypeFromBuffer(Buffer.concat(parts)))?.mime ?? null;
  }
}

function hashOf(file: UploadedFile): string {
  if (!file.sha256) throw AttachmentErrors.notSaved();
  return file.sha256;
}
