import { Injectable } from '@nestjs/common';
import { CatalogueError, FileErrors, UploadErrors, type GatheredFiles, type Tenant } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Logger } from '@groupware/service-kit';
import { type Content, StoredFileRepository } from './persistence/stored-file.repository';
import { StoredFiles } from './stored-files';

/** A step ends after so many files, or so long, ms, so that whoever asks for the next one can stop between. */
const STEP_FILES = 100;
const STEP_MS = 5_000;

type Outcome = 'brought' | 'unreadable' | 'gone';

const log = Logger.for('attachments');

/**
 * Brings the files of a context to the store it belongs to. Each is copied and compared, then its attachments change over in
 * one transaction; the old bytes stay until the sweep, so that downloads under way find them. Interrupted anywhere it leaves
 * what the sweep knows about, and the next step goes on.
 */
@Injectable()
export class FileGatherer {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contents: StoredFileRepository,
    private readonly files: StoredFiles,
    private readonly clock: Clock,
  ) {}

  /** Brings some files to a store, after the one that ended the step before. @throws FLS-… when a store does not work */
  async gather(tenant: Tenant, storeId: number, after: string | undefined): Promise<GatheredFiles> {
    const end = this.clock.now() + STEP_MS;
    if (after === undefined)
      await this.database.transact(tenant, (tx) => this.contents.settleIn(tx, storeId, this.clock.now()));
    const found = await this.database.read(tenant, (db) =>
      this.contents.keptOutside(db, storeId, after ?? '', STEP_FILES),
    );
    const done = { files: 0, bytes: 0, unreadable: 0 };
    let last = after;
    for (const content of found) {
      if (last !== after && this.clock.now() > end) return { ...done, next: last! };
      const outcome = await this.bring(tenant, content, storeId);
      if (outcome === 'unreadable') done.unreadable++;
      else if (outcome === 'brought') {
        done.files++;
        done.bytes += content.sizeBytes;
      }
      last = content.reference;
    }
    return found.length < STEP_FILES ? done : { ...done, next: last! };
  }

  private async bring(tenant: Tenant, content: Content, storeId: number): Promise<Outcome> {
    let copy: Content;
    try {
      copy = await this.files.copy(content, storeId);
    } catch (error) {
      if (!isOfTheFile(error)) throw error;
      // What was detached meanwhile is nobody's loss.
      if (!(await this.database.read(tenant, (db) => this.contents.isKept(db, content.reference)))) return 'gone';
      log.error({ reference: content.reference, cause: String(error) }, 'a file could not be moved');
      return 'unreadable';
    }
    await this.database.transact(tenant, (tx) => this.contents.intend(tx, [copy], this.clock.now()));
    try {
      await this.files.keep(copy.reference);
      await this.database.transact(tenant, async (tx) => {
        const { stamp } = await this.contents.advance(tx, this.clock.now(), 0);
        await this.contents.replace(tx, content.reference, copy.reference, stamp);
      });
    } finally {
      // A copy that was not taken, since the content was given up meanwhile, goes.
      await this.files.giveUp(tenant, [copy.reference]);
    }
    return 'brought';
  }
}

/** Whether only this file is concerned, and others may go on. */
const isOfTheFile = (error: unknown): boolean =>
  error instanceof CatalogueError && (error.is(UploadErrors.failed) || error.is(FileErrors.failed));
