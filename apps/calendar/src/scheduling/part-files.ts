import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '@groupware/contracts';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import type { Appointment } from '../domain/appointment';
import { EventFiles } from '../events/event-files';

/** A series that a message split, and its later part. */
interface SplitParts {
  readonly series: Appointment;
  readonly part: Appointment;
}

/** Copies the files of series that scheduling messages split: both parts have them, as after a change by the user himself. */
@Injectable()
export class PartFiles {
  private readonly splits = new WeakMap<Transaction, SplitParts[]>();

  constructor(
    private readonly files: EventFiles,
    private readonly database: ModuleDatabase,
  ) {}

  /** Notes a split for {@link transact}. */
  noteSplit(tx: Transaction, split: SplitParts): void {
    if (split.series.attachments > 0) this.splits.set(tx, [...(this.splits.get(tx) ?? []), split]);
  }

  /** Applies messages in a transaction; files are copied after it. `onFailure` hears of a copy that failed; what was applied stays. */
  async transact<T>(
    user: UserPrincipal,
    work: (tx: Transaction) => Promise<T>,
    onFailure?: (error: unknown) => void,
  ): Promise<T> {
    let splits: readonly SplitParts[] = [];
    const result = await this.database.transact(user, async (tx) => {
      const done = await work(tx);
      splits = this.splits.get(tx) ?? [];
      return done;
    });
    for (const { series, part } of splits)
      try {
        await this.files.copyToPart(user, series, part);
      } catch (error) {
        if (!onFailure) throw error;
        onFailure(error);
      }
    return result;
  }
}
