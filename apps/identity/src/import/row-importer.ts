import { Injectable } from '@nestjs/common';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { Resellers } from '../configuration/resellers';
import { ContextRepository } from '../persistence/context.repository';
import { JobRepository, type JobStep, type TakenJob } from '../persistence/job.repository';
import { AfterChange } from '../provisioning/after-change';
import { ResellerLimits } from '../provisioning/reseller-limits';
import { UserEditor } from '../provisioning/user-editor';
import type { ImportRow } from './import-fields';
import { GroupRows } from './group-rows';
import { isRowError, rowError, type RowOptions, type RowOutcome, type RowPlan } from './import-rows';
import { ResourceRows } from './resource-rows';
import { UserImport } from './user-import';

/** What a file may hold. */
export type ImportKind = 'users' | 'groups' | 'resources';

/** Rows of one transaction. Users are many; a group may have many members. */
const ROWS_AT_ONCE: Readonly<Record<ImportKind, number>> = { users: 250, groups: 1, resources: 50 };

/** Ends the transaction of a dry run. */
class DryRun extends Error {
  constructor(readonly outcomes: readonly JobStep[]) {
    super('dry run');
  }
}

/** Imports rows, many in one transaction; when one of them fails, in halves, so that only its own effect is missing. */
@Injectable()
export class RowImporter {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly users: UserImport,
    private readonly groups: GroupRows,
    private readonly resources: ResourceRows,
    private readonly editor: UserEditor,
    private readonly jobs: JobRepository,
    private readonly after: AfterChange,
    private readonly resellers: Resellers,
    private readonly limits: ResellerLimits,
  ) {}

  /** How many rows to give to {@link import} at once. */
  atOnce(kind: ImportKind): number {
    return ROWS_AT_ONCE[kind];
  }

  /** Imports rows in their order and notes for the job what each of them did, in the transaction that does it. */
  async import(kind: ImportKind, rows: readonly ImportRow[], options: RowOptions, job: TakenJob): Promise<void> {
    let plans: RowPlan[] | undefined;
    try {
      plans = await this.plan(kind, rows, options);
      await this.perform(rows, plans, options, job);
    } catch (error) {
      if (!isRowError(error)) throw error;
      if (rows.length > 1) {
        const middle = Math.ceil(rows.length / 2);
        for (const half of [rows.slice(0, middle), rows.slice(middle)]) await this.import(kind, half, options, job);
        return;
      }
      await this.perform(rows, [{ error }], options, job);
    }
  }

  private plan(kind: ImportKind, rows: readonly ImportRow[], options: RowOptions): Promise<RowPlan[]> {
    switch (kind) {
      case 'users':
        return this.users.plan(rows, options);
      case 'groups':
        return Promise.resolve(this.groups.plan(rows, options));
      case 'resources':
        return Promise.resolve(this.resources.plan(rows, options));
    }
  }

  private async perform(
    rows: readonly ImportRow[],
    plans: readonly RowPlan[],
    options: RowOptions,
    job: TakenJob,
  ): Promise<void> {
    const note = (tx: Transaction, steps: readonly JobStep[]) => this.jobs.steps(tx, job, rows.at(-1)!.row, steps);
    await this.expectRoom(plans, options);
    const changed: number[] = [];
    try {
      await this.database.transact(options, async (tx) => {
        const outcomes = await this.apply(tx, plans, options);
        const steps = outcomes.map((outcome, index) => stepOf(rows[index]!.row, outcome));
        if (options.dryRun) throw new DryRun(steps);
        await note(tx, steps);
        changed.splice(0, changed.length, ...outcomes.flatMap((outcome) => ('ids' in outcome ? outcome.ids : [])));
      });
    } catch (error) {
      if (!(error instanceof DryRun)) throw error;
      await this.database.transact(options, (tx) => note(tx, error.outcomes));
    }
    if (changed.length > 0) await this.after.users(options.contextId, [...new Set(changed)]);
  }

  private async apply(
    tx: Transaction,
    plans: readonly RowPlan[],
    options: RowOptions,
  ): Promise<(RowOutcome | Extract<RowPlan, { error: unknown }>)[]> {
    const drafts = plans.flatMap((plan) => ('create' in plan ? [plan.create] : []));
    const created =
      drafts.length > 0 ? await this.editor.createMany(tx, await this.contexts.lock(tx), drafts, options.actor) : [];
    const ids = created.map(({ id }) => id).reverse();
    const outcomes: (RowOutcome | Extract<RowPlan, { error: unknown }>)[] = [];
    for (const plan of plans)
      if ('error' in plan) outcomes.push(plan);
      else
        outcomes.push(
          'create' in plan ? { effect: 'created', ids: [ids.pop()!], told: plan.told } : await plan.work(tx),
        );
    return outcomes;
  }

  private async expectRoom(plans: readonly RowPlan[], { contextId }: RowOptions): Promise<void> {
    const users = plans.filter((plan) => 'create' in plan).length;
    if (users > 0) await this.limits.expectRoom((await this.resellers.ownerOf(contextId)) ?? null, { users });
  }
}

function stepOf(row: number, outcome: RowOutcome | Extract<RowPlan, { error: unknown }>): JobStep {
  if ('error' in outcome) return { error: rowError(row, outcome.error) };
  const { effect, ids, told } = outcome;
  return { effect, ...(told ? { password: { row, userId: ids[0]!, ...told } } : {}) };
}
