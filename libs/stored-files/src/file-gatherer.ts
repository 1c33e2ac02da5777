import { Injectable } from '@nestjs/common';
import { isCatalogueError, FileErrors, UploadErrors, type GatheredFiles, type Tenant } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { FileUses } from './file-uses';
import { type Content, StoredFileRepository } from './stored-file.repository';
import { StoredFiles } from './stored-files';

/** Limits of a batch, files and ms, so that the move can be stopped between batches. */
const STEP_FILES = 100;
const STEP_MS = 5_000;

type Outcome = 'brought' | 'unreadable' | 'gone';

/**
 * Moves the files of a context to its store. Each is copied and compared, then its references change in one
 * transaction; the old bytes stay until the sweep, for downloads in progress. Interrupted anywhere, it leaves only what
 * the sweep removes, and the next batch continues.
 */
@Injectable()
export class FileGatherer {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contents: StoredFileRepository,
    private readonly files: StoredFiles,
    private readonly clock: Clock,
    private readonly uses: FileUses,
  ) {}

  /** Moves a batch of files to a store, after the last one of the previous batch. @throws FLS-… when a store fails */
  async gatherFiles(tenant: Tenant, storeId: number, after: string | undefined): Promise<GatheredFiles> {
    const end = this.clock.now() + STEP_MS;
    if (after === undefined)
      await this.database.transact(tenant, (tx) => this.contents.updateStore(tx, storeId, this.clock.now()));
    const found = await this.database.read(tenant, (db) =>
      this.contents.listKeptOutside(db, storeId, after ?? '', STEP_FILES),
    );
    const done = { files: 0, bytes: 0, unreadable: 0 };
    let last = after;
    for (const content of found) {
      if (last !== after && this.clock.now() > end) return { ...done, next: last! };
      const outcome = await this.moveFile(tenant, content, storeId);
      if (outcome === 'unreadable') done.unreadable++;
      else if (outcome === 'brought') {
        done.files++;
        done.bytes += content.sizeBytes;
      }
      last = content.reference;
    }
    return found.length < STEP_FILES ? done : { ...done, next: last! };
  }

  private async moveFile(tenant: Tenant, content: Content, storeId: number): Promise<Outcome> {
    let copy: Content;
    try {
      copy = await this.files.copyContent(content, storeId);
    } catch (error) {
      if (!concernsOneFile(error)) throw error;
      // Detached meanwhile: nothing to move.
      if (!(await this.database.read(tenant, (db) => this.contents.isKept(db, content.reference)))) return 'gone';
      this.uses.log.error({ reference: content.reference, cause: String(error) }, 'a file could not be moved');
      return 'unreadable';
    }
    await this.database.transact(tenant, (tx) => this.contents.insertIntents(tx, [copy], this.clock.now()));
    try {
      await this.files.keepContent(copy.reference);
      await this.database.transact(tenant, async (tx) => {
        const { stamp } = await this.contents.advanceCounters(tx, this.clock.now(), 0);
        await this.contents.replaceContent(tx, content.reference, copy.reference, stamp);
      });
    } finally {
      // Discards the copy when the content was released meanwhile.
      await this.files.abandonContents(tenant, [copy.reference]);
    }
    return 'brought';
  }
}

/** Whether an error concerns this file only. */
const concernsOneFile = (error: unknown): boolean => isCatalogueError(error, UploadErrors.failed, FileErrors.failed);
