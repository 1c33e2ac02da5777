import { Injectable } from '@nestjs/common';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { Resellers } from '../configuration/resellers';
import { ContextRepository } from '../persistence/context.repository';
import { JobRepository, type JobStep, type RunningJob } from '../persistence/job.repository';
import { ChangeNotifier } from '../provisioning/change-notifier';
import { ResellerLimits } from '../provisioning/reseller-limits';
import { UserEditor } from '../provisioning/user-editor';
import type { ImportRow } from './import-fields';
import { GroupImport } from './group-import';
import { isRowError, toRowError, type ImportOptions, type RowOutcome, type PlannedRow } from './import-rows';
import { ResourceImport } from './resource-import';
import { UserImport } from './user-import';

/** Kind of objects in a file. */
export type ImportKind = 'users' | 'groups' | 'resources';

/** Rows per transaction. Users are many; a group may have many members. */
const ROWS_AT_ONCE: Readonly<Record<ImportKind, number>> = { users: 250, groups: 1, resources: 50 };

/** Rolls back the transaction of a dry run. */
class DryRun extends Error {
  constructor(readonly outcomes: readonly JobStep[]) {
    super('dry run');
  }
}

/** Imports rows, many per transaction; a failing batch is bisected, so that only the failing row is missing. */
@Injectable()
export class RowImporter {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly users: UserImport,
    private readonly groups: GroupImport,
    private readonly resources: ResourceImport,
    private readonly editor: UserEditor,
    private readonly jobs: JobRepository,
    private readonly notifier: ChangeNotifier,
    private readonly resellers: Resellers,
    private readonly limits: ResellerLimits,
  ) {}

  /** Batch size for {@link importRows}. */
  getBatchSize(kind: ImportKind): number {
    return ROWS_AT_ONCE[kind];
  }

  /** Imports rows in order and records their outcomes for the job in the same transaction. */
  async importRows(
    kind: ImportKind,
    rows: readonly ImportRow[],
    options: ImportOptions,
    job: RunningJob,
  ): Promise<void> {
    let plans: PlannedRow[] | undefined;
    try {
      plans = await this.planRows(kind, rows, options);
      await this.performPlan(rows, plans, options, job);
    } catch (error) {
      if (!isRowError(error)) throw error;
      if (rows.length > 1) {
        const middle = Math.ceil(rows.length / 2);
        for (const half of [rows.slice(0, middle), rows.slice(middle)]) await this.importRows(kind, half, options, job);
        return;
      }
      await this.performPlan(rows, [{ error }], options, job);
    }
  }

  private planRows(kind: ImportKind, rows: readonly ImportRow[], options: ImportOptions): Promise<PlannedRow[]> {
    switch (kind) {
      case 'users':
        return this.users.planRows(rows, options);
      case 'groups':
        return Promise.resolve(this.groups.planRows(rows, options));
      case 'resources':
        return Promise.resolve(this.resources.planRows(rows, options));
    }
  }

  private async performPlan(
    rows: readonly ImportRow[],
    plans: readonly PlannedRow[],
    options: ImportOptions,
    job: RunningJob,
  ): Promise<void> {
    const note = (tx: Transaction, steps: readonly JobStep[]) =>
      this.jobs.insertSteps(tx, job, rows.at(-1)!.row, steps);
    await this.requireRoom(plans, options);
    const changed: number[] = [];
    try {
      await this.database.transact(options, async (tx) => {
        const outcomes = await this.applyPlan(tx, plans, options);
        const steps = outcomes.map((outcome, index) => toJobStep(rows[index]!.row, outcome));
        if (options.dryRun) throw new DryRun(steps);
        await note(tx, steps);
        changed.splice(0, changed.length, ...outcomes.flatMap((outcome) => ('ids' in outcome ? outcome.ids : [])));
      });
    } catch (error) {
      if (!(error instanceof DryRun)) throw error;
      await this.database.transact(options, (tx) => note(tx, error.outcomes));
    }
    if (changed.length > 0) await this.notifier.notifyUsersChanged(options.contextId, [...new Set(changed)]);
  }

  private async applyPlan(
    tx: Transaction,
    plans: readonly PlannedRow[],
    options: ImportOptions,
  ): Promise<(RowOutcome | Extract<PlannedRow, { error: unknown }>)[]> {
    const drafts = plans.flatMap((plan) => ('create' in plan ? [plan.create] : []));
    const created =
      drafts.length > 0 ? await this.editor.createUsers(tx, await this.contexts.lock(tx), drafts, options.actor) : [];
    const ids = created.map(({ id }) => id).reverse();
    const outcomes: (RowOutcome | Extract<PlannedRow, { error: unknown }>)[] = [];
    for (const plan of plans)
      if ('error' in plan) outcomes.push(plan);
      else
        outcomes.push(
          'create' in plan ? { effect: 'created', ids: [ids.pop()!], disclosed: plan.told } : await plan.work(tx),
        );
    return outcomes;
  }

  private async requireRoom(plans: readonly PlannedRow[], { contextId }: ImportOptions): Promise<void> {
    const users = plans.filter((plan) => 'create' in plan).length;
    if (users > 0) await this.limits.requireRoom((await this.resellers.findOwner(contextId)) ?? null, { users });
  }
}

function toJobStep(row: number, outcome: RowOutcome | Extract<PlannedRow, { error: unknown }>): JobStep {
  if ('error' in outcome) return { error: toRowError(row, outcome.error) };
  const { effect, ids, disclosed: told } = outcome;
  return { effect, ...(told ? { password: { row, userId: ids[0]!, ...told } } : {}) };
}
