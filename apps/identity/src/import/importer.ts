import { isCatalogueError, ProvisioningErrors, type Job } from '@groupware/contracts';
import { FILES, type FileStore } from '@groupware/file-store';
import { Inject, Injectable } from '@nestjs/common';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { JobRunner, type JobControl } from '../jobs/job-runner';
import { ContextRepository } from '../persistence/context.repository';
import { JobRepository, type RunningJob } from '../persistence/job.repository';
import { UserRepository } from '../persistence/user.repository';
import { ChangeNotifier } from '../provisioning/change-notifier';
import { Idempotency, type RepeatableCall } from '../provisioning/idempotency';
import type { FieldMapping, ImportFormat, ImportRow } from './import-fields';
import { readImportRows } from './import-file';
import type { ImportOptions, RowOutcome } from './import-rows';
import { RowImporter, type ImportKind } from './row-importer';
import { UserImport } from './user-import';

/** Most rows of one file. */
const MAX_ROWS = 100_000;
/** Approximate characters of rows held in memory: pictures make rows large. */
const MAX_HELD_CHARACTERS = 8_000_000;
/** Share of users that a synchronisation may disable without `force`. */
const MAX_DISABLED_SHARE = 0.2;
/** Batch size of the scan for users missing in the file. */
const USERS_AT_ONCE = 500;

const KINDS: readonly ImportKind[] = ['users', 'groups', 'resources'];

/** An import request. */
export interface ImportRequest extends ImportOptions {
  readonly kind: ImportKind;
  readonly format: ImportFormat;
  readonly mapping: FieldMapping;
  readonly force: boolean;
  /** Reference of the file in the file store. */
  readonly reference: string;
}

/** Imports a file as a job: each row exactly once, across processes. */
@Injectable()
export class Importer {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly rows: RowImporter,
    private readonly userImport: UserImport,
    private readonly contexts: ContextRepository,
    private readonly users: UserRepository,
    private readonly jobs: JobRepository,
    private readonly runner: JobRunner,
    private readonly notifier: ChangeNotifier,
    private readonly idempotency: Idempotency,
    private readonly clock: Clock,
    @Inject(FILES) private readonly files: FileStore,
  ) {
    for (const kind of KINDS) runner.registerKind(`import-${kind}`, (control) => this.runImport(control));
  }

  /**
   * Starts the import, or finds the job of a repeated call; answers its id and a promise of its end that never rejects.
   */
  async startImport(order: ImportRequest, repeatable?: RepeatableCall): Promise<{ jobId: string; end: Promise<void> }> {
    try {
      await this.database.read(order, (db) => this.contexts.get(db));
      if (order.mode === 'sync' && order.kind === 'users') await this.requireFewMissing(order);
      // The file stays until the job ends: another process may take over.
      await this.files.claim(order.reference);
      const { jobId, job } = await this.createJob(order, repeatable);
      if (job) return { jobId, end: this.runner.runJob(job) };
      await this.files.remove(order.reference);
      return { jobId, end: Promise.resolve() };
    } catch (error) {
      await this.files.remove(order.reference);
      throw error;
    }
  }

  /** The job as it is now. */
  getJob(contextId: number, jobId: string): Promise<Job> {
    return this.database.read({ contextId }, (db) => this.jobs.get(db, jobId, this.clock.now()));
  }

  /** Creates a job, or finds the one of a repeated call. */
  private createJob(order: ImportRequest, repeatable?: RepeatableCall): Promise<{ jobId: string; job?: RunningJob }> {
    return this.database.transact(order, async (tx) => {
      let job: RunningJob | undefined;
      const begin = async () => {
        job = await this.runner.createJob(tx, `import-${order.kind}`, order);
        return { status: 202, result: { id: job.jobId } };
      };
      const { result } = await (repeatable ? this.idempotency.runOnce(tx, 'import', repeatable, begin) : begin());
      return { jobId: (result as { id: string }).id, ...(job ? { job } : {}) };
    });
  }

  private async runImport(control: JobControl): Promise<undefined> {
    const { job } = control;
    const order = job.task as ImportRequest;
    try {
      const size = (await this.files.size(order.reference)) ?? 0;
      let count = 0;
      const rows = readImportRows(this.files, order.reference, order, (read) => control.progress(read / (size || 1)));
      let batch: ImportRow[] = [];
      let held = 0;
      const flush = async (): Promise<void> => {
        control.check();
        if (batch.length > 0) await this.rows.importRows(order.kind, batch, order, job);
        batch = [];
        held = 0;
      };
      for await (const row of rows) {
        if (++count > MAX_ROWS) throw ProvisioningErrors.unreadableImport(`more than ${MAX_ROWS} rows`);
        // Already done by a process that died before the job ended.
        if (row.row <= job.position) continue;
        batch.push(row);
        for (const value of Object.values(row.values)) held += value.length;
        if (batch.length >= this.rows.getBatchSize(order.kind) || held >= MAX_HELD_CHARACTERS) await flush();
      }
      await flush();
      if (order.mode === 'sync' && order.kind === 'users') await this.disableMissing(order, control);
    } catch (error) {
      if (isCatalogueError(error, ProvisioningErrors.unreadableImport)) await this.files.remove(order.reference);
      throw error;
    }
    await this.files.remove(order.reference);
    return undefined;
  }

  private async disableMissing(order: ImportRequest, control: JobControl): Promise<void> {
    for await (const users of this.scanEnabledUsers(order)) {
      control.check();
      const missing = users.filter(({ isMissing }) => isMissing).map(({ id }) => id);
      const gone = await this.database.transact(order, async (tx) => {
        const outcomes: RowOutcome[] = [];
        for (const id of missing)
          outcomes.push(
            order.dryRun ? { effect: 'changed', ids: [] } : await this.userImport.disableUser(tx, id, order.actor),
          );
        const disabled = outcomes.filter(({ effect }) => effect === 'changed');
        await this.jobs.insertSteps(
          tx,
          control.job,
          0,
          disabled.map(() => ({ effect: 'disabled' })),
        );
        return disabled.flatMap(({ ids }) => ids);
      });
      if (gone.length > 0) await this.notifier.notifyUsersChanged(order.contextId, gone);
    }
  }

  /** @throws PROV-0017 when the file names too few of the users */
  private async requireFewMissing(order: ImportRequest): Promise<void> {
    let all = 0;
    let missing = 0;
    for await (const users of this.scanEnabledUsers(order)) {
      all += users.length;
      missing += users.filter(({ isMissing }) => isMissing).length;
    }
    if (!order.force && missing > all * MAX_DISABLED_SHARE)
      throw ProvisioningErrors.tooManyWouldBeDisabled(missing, all);
  }

  /** Scans enabled users but the administrator, in batches, with whether the file misses them. */
  private async *scanEnabledUsers(order: ImportRequest): AsyncGenerator<{ id: number; isMissing: boolean }[]> {
    const named = new Set<string>();
    for await (const { values } of readImportRows(this.files, order.reference, order))
      if (values.name) named.add(values.name.toLowerCase());
    const ids = await this.database.read(order, (db) => this.users.listIds(db));
    for (let first = 0; first < ids.length; first += USERS_AT_ONCE) {
      const some = await this.database.read(order, (db) =>
        this.users.listByIds(db, ids.slice(first, first + USERS_AT_ONCE)),
      );
      yield some
        .filter(({ enabled, isAdmin }) => enabled && !isAdmin)
        .map(({ id, name }) => ({ id, isMissing: !named.has(name.toLowerCase()) }));
    }
  }
}
