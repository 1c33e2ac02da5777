import { Inject, Injectable } from '@nestjs/common';
import { FileErrors, type Tenant, type UploadedFile } from '@groupware/contracts';
import { FILES, storeIdOf, type FileStore } from '@groupware/file-store';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { fileTypeFromBuffer } from 'file-type';
import { FileUses } from './file-uses';
import { type Content, StoredFileRepository } from './stored-file.repository';

/** Number of bytes for type detection. */
const SNIFFED_BYTES = 4100;
/** Files that the store may fail to remove before it is taken as down. */
const MOST_FAILURES = 20;

/**
 * Keeps file store and database consistent across crashes: the intent is committed before the store keeps the bytes,
 * and the row is deleted after the bytes. So each kept file has a row, and rows that stay `claiming` or `dying` tell
 * the sweep what to remove.
 */
@Injectable()
export class StoredFiles {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contents: StoredFileRepository,
    private readonly clock: Clock,
    @Inject(FILES) private readonly store: FileStore,
    private readonly uses: FileUses,
  ) {}

  /**
   * Claims uploaded files: one content for equal files, none for those the context already has. A file uploaded to
   * another store, since the context moved meanwhile, is copied.
   * @param held claims of earlier attempts, reused where they match; this one is added. They must be kept or abandoned
   * @returns the new contents
   * @throws the error of the module when the store fails
   */
  async claimFiles(
    tenant: Tenant,
    files: readonly UploadedFile[],
    storeId: number,
    held: Content[],
  ): Promise<Content[]> {
    const byHash = new Map<string, UploadedFile>();
    for (const file of files) if (!byHash.has(this.requireHash(file))) byHash.set(this.requireHash(file), file);
    const known = await this.database.read(tenant, (db) => this.contents.listKeptByHash(db, [...byHash.keys()]));
    for (const { sha256 } of known) byHash.delete(sha256);
    const again: Content[] = [];
    const fresh: Content[] = [];
    try {
      for (const [sha256, file] of byHash) {
        const mine = held.filter((content) => content.sha256 === sha256);
        const there = mine.find(({ reference }) => storeIdOf(reference) === storeId);
        if (there) again.push(there);
        else fresh.push(await this.moveToStore(mine[0] ?? { ...file, sha256, sniffed: null }, storeId));
      }
      if (fresh.length > 0) {
        await this.database.transact(tenant, (tx) => this.contents.insertIntents(tx, fresh, this.clock.now()));
        held.push(...fresh);
        for (const { reference } of fresh) await this.keepContent(reference);
      }
      return [...again, ...fresh];
    } catch (cause) {
      throw this.uses.notSaved().with({ cause });
    }
  }

  /** Copies a content to another store, unclaimed. @throws FLS-0003 when its bytes do not match the hash */
  async copyContent({ reference, sha256, sizeBytes, sniffed }: Content, storeId: number): Promise<Content> {
    const copy = await this.store.write(this.store.read(reference), { maxBytes: sizeBytes, storeId });
    if (copy.sha256 === sha256) return { reference: copy.reference, sha256, sizeBytes, sniffed };
    await this.store.discard(copy.reference);
    throw FileErrors.failed('a file is damaged');
  }

  /** Keeps bytes whose intent is committed. @throws the error of the module when they are missing */
  async keepContent(reference: string): Promise<void> {
    if (!(await this.store.claim(reference))) throw this.uses.notSaved();
  }

  /** Abandons claimed contents and removes their bytes. Never fails: the sweep completes it. */
  async abandonContents(tenant: Tenant, references: readonly string[]): Promise<void> {
    if (references.length === 0) return;
    try {
      const { released, known } = await this.database.transact(tenant, async (tx) => {
        const [released, known] = await Promise.all([
          this.contents.abandonIntents(tx, references, this.clock.now()),
          this.contents.listKnown(tx, references),
        ]);
        return { released, known };
      });
      // A claim that took longer than the sweep waits has no row any more: its bytes are known here alone.
      const lost = references.filter((reference) => !known.includes(reference));
      const [failure] = (await this.purgeContents(tenant, [...released, ...lost])).values();
      if (failure !== undefined) throw failure;
    } catch (error) {
      this.uses.log.warn({ cause: String(error) }, 'files are left to the sweep');
    }
  }

  /**
   * Removes the bytes of dying contents, then their rows. Answers those whose bytes stay, with the reasons: one that cannot be
   * removed keeps no others, but after some the store is taken as down.
   */
  async purgeContents(tenant: Tenant, references: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
    const failed = new Map<string, unknown>();
    for (const reference of references)
      if (failed.size < MOST_FAILURES)
        await this.store.remove(reference).catch((error: unknown) => failed.set(reference, error));
      else failed.set(reference, FileErrors.failed('too many files stay'));
    const removed = references.filter((reference) => !failed.has(reference));
    if (removed.length > 0) await this.database.transact(tenant, (tx) => this.contents.delete(tx, removed));
    return failed;
  }

  /** Removes uploads whose content is known or unclaimed. Never fails. */
  async discardUploads(files: readonly UploadedFile[]): Promise<void> {
    await Promise.allSettled(files.map(({ reference }) => this.store.discard(reference)));
  }

  private async moveToStore(content: Content, storeId: number): Promise<Content> {
    const sniffed = await this.sniffType(content.reference);
    const known = { ...content, sniffed };
    return storeIdOf(content.reference) === storeId ? known : this.copyContent(known, storeId);
  }

  /** The media type of a file by its first bytes; null when they tell none. */
  async sniffType(reference: string): Promise<string | null> {
    const parts: Uint8Array[] = [];
    for await (const part of this.store.read(reference, { start: 0, end: SNIFFED_BYTES - 1 })) parts.push(part);
    return (await fileTypeFromBuffer(Buffer.concat(parts)))?.mime ?? null;
  }

  private requireHash(file: UploadedFile): string {
    if (!file.sha256) throw this.uses.notSaved();
    return file.sha256;
  }
}
