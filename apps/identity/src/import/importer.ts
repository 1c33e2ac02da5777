import { CatalogueError, ProvisioningErrors, type ImportResult, type Job } from '@groupware/contracts';
import type { FileStore } from '@groupware/file-store';
import { Inject, Injectable } from '@nestjs/common';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Logger } from '@groupware/service-kit';
import { ContextRepository } from '../persistence/context.repository';
import { JobRepository } from '../persistence/job.repository';
import { UserRepository } from '../persistence/user.repository';
import { AfterChange } from '../provisioning/after-change';
import { Idempotency, type RepeatableCall } from '../provisioning/idempotency';
import { csvRows, type ImportRow } from './csv-rows';
import { RowImporter, rowError, type RowOptions, type RowOutcome } from './row-importer';

/** Token of the file store. */
export const FILES = Symbol('files');

/** Most rows of one file. */
export const MAX_ROWS = 100_000;
/** Errors that are reported row by row; more are only counted. */
const MAX_REPORTED_ERRORS = 1_000;
/** Rows between two notes of the progress. */
const PROGRESS_STEP = 500;
/** Share of users that a synchronisation may disable without being forced. */
const MAX_DISABLED_SHARE = 0.2;

/** What to import. */
export interface ImportOrder extends RowOptions {
  readonly kind: 'users' | 'groups' | 'resources';
  readonly force: boolean;
  /** Reference of the file in the file store. */
  readonly reference: string;
}

type Counts = { -readonly [K in keyof ImportResult]: ImportResult[K] };

/** Imports a file row by row and keeps a job about it. */
@Injectable()
export class Importer {
  private readonly log = Logger.for('identity.import');

  constructor(
    private readonly database: ModuleDatabase,
    private readonly rows: RowImporter,
    private readonly contexts: ContextRepository,
    private readonly users: UserRepository,
    private readonly jobs: JobRepository,
    private readonly after: AfterChange,
    private readonly idempotency: Idempotency,
    private readonly clock: Clock,
    @Inject(FILES) private readonly files: FileStore,
  ) {}

  /**
   * Begins the import, or finds the job that the same call began before: answers the job's id, and a promise of its end that
   * never rejects.
   */
  async begin(order: ImportOrder, repeatable?: RepeatableCall): Promise<{ jobId: string; end: Promise<void> }> {
    try {
      await this.database.read(order, (db) => this.contexts.get(db));
      const missing = order.mode === 'sync' && order.kind === 'users' ? await this.missing(order) : [];
      const { jobId, isNew } = await this.note(order, repeatable);
      if (isNew) return { jobId, end: this.run(order, jobId, missing) };
      await this.files.remove(order.reference);
      return { jobId, end: Promise.resolve() };
    } catch (error) {
      await this.files.remove(order.reference);
      throw error;
    }
  }

  /** The job as it is now. */
  job(contextId: number, jobId: string): Promise<Job> {
    return this.database.read({ contextId }, (db) => this.jobs.get(db, jobId, this.clock.now()));
  }

  /** Notes a new job, or finds the one that a repeated call began. */
  private note(order: ImportOrder, repeatable?: RepeatableCall): Promise<{ jobId: string; isNew: boolean }> {
    return this.database.transact(order, async (tx) => {
      let isNew = false;
      const begin = async () => {
        isNew = true;
        return { status: 202, result: { id: await this.jobs.begin(tx, `import-${order.kind}`, this.clock.now()) } };
      };
      const { result } = await (repeatable ? this.idempotency.once(tx, 'import', repeatable, begin) : begin());
      return { jobId: (result as { id: string }).id, isNew };
    });
  }

  private async run(order: ImportOrder, jobId: string, missing: readonly number[]): Promise<void> {
    const counts: Counts = { rows: 0, created: 0, changed: 0, unchanged: 0, disabled: 0, errors: [] };
    let failure: CatalogueError | undefined;
    try {
      for await (const row of csvRows(this.files.read(order.reference))) {
        if (++counts.rows > MAX_ROWS) throw ProvisioningErrors.unreadableImport(`more than ${MAX_ROWS} rows`);
        await this.importRow(row, order, counts);
        if (counts.rows % PROGRESS_STEP === 0)
          await this.database.transact(order, (tx) =>
            this.jobs.progress(tx, jobId, counts.rows / MAX_ROWS, this.clock.now()),
          );
      }
      for (const userId of missing) {
        if (!(await this.rows.disable(userId, order))) continue;
        counts.disabled++;
        if (!order.dryRun) await this.after.users(order.contextId, [userId]);
      }
    } catch (error) {
      this.log.error({ error, jobId }, 'import failed');
      failure = error instanceof CatalogueError ? error : ProvisioningErrors.unreadableImport('see the log');
    }
    await this.end(order, jobId, counts, failure).catch((error: unknown) =>
      this.log.error({ error, jobId }, 'the end of the import could not be noted'),
    );
  }

  private async end(
    order: ImportOrder,
    jobId: string,
    counts: ImportResult,
    failure: CatalogueError | undefined,
  ): Promise<void> {
    await this.database.transact(order, (tx) =>
      this.jobs.end(tx, jobId, {
        state: failure ? 'failed' : 'done',
        result: counts,
        errors: failure ? [{ code: failure.code, error: failure.message }] : [],
        at: this.clock.now(),
      }),
    );
    await this.files.remove(order.reference);
  }

  private async importRow(row: ImportRow, order: ImportOrder, counts: Counts): Promise<void> {
    try {
      const outcome = await this.importOne(row, order);
      counts[outcome.effect]++;
      if (!order.dryRun && outcome.effect !== 'unchanged') await this.after.users(order.contextId, outcome.users);
    } catch (error) {
      if (!(error instanceof CatalogueError)) throw error;
      if (counts.errors.length < MAX_REPORTED_ERRORS) counts.errors.push(rowError(row.row, error));
    }
  }

  private importOne(row: ImportRow, order: ImportOrder): Promise<RowOutcome> {
    switch (order.kind) {
      case 'users':
        return this.rows.user(row, order);
      case 'groups':
        return this.rows.group(row, order);
      case 'resources':
        return this.rows.resource(row, order);
    }
  }

  /** Enabled users that the file does not name. @throws PROV-0017 when they are too many */
  private async missing(order: ImportOrder): Promise<number[]> {
    const named = new Set<string>();
    for await (const { values } of csvRows(this.files.read(order.reference)))
      if (values.name) named.add(values.name.toLowerCase());
    const candidates = await this.database.read(order, async (db) => this.users.byIds(db, await this.users.allIds(db)));
    const enabled = candidates.filter((user) => user.enabled && !user.isAdmin);
    const missing = enabled.filter((user) => !named.has(user.name.toLowerCase()));
    if (!order.force && missing.length > enabled.length * MAX_DISABLED_SHARE)
      throw ProvisioningErrors.tooManyWouldBeDisabled(missing.length, enabled.length);
    return missing.map((user) => user.id);
  }
}
