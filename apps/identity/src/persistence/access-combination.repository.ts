import { Injectable } from '@nestjs/common';
import type { AdministrationTransaction, Reader } from '@groupware/persistence';
import { COMBINATIONS, type Combinations } from '../domain/module-access';

interface Row {
  readonly name: string;
  readonly flags: string[];
}

/** Named sets of flags: those of the product and those that operators made. */
@Injectable()
export class AccessCombinationRepository {
  /** All of them, as calls in a context see them. */
  async named(db: Reader): Promise<Combinations> {
    return merged(await db.objects<Row>('select name, flags from access_combination where $1::int is not null'));
  }

  /** All of them. */
  async all(db: AdministrationTransaction): Promise<Combinations> {
    return merged(await db.objects<Row>('select name, flags from access_combination order by name'));
  }

  /** Makes or replaces one. */
  async set(db: AdministrationTransaction, name: string, flags: readonly string[]): Promise<void> {
    await db.run(
      `insert into access_combination (name, flags) values ($1, $2) on conflict (name) do update set flags = excluded.flags`,
      name,
      flags,
    );
  }

  /** Removes one; false when there is none. */
  async remove(db: AdministrationTransaction, name: string): Promise<boolean> {
    return (await db.run('delete from access_combination where name = $1', name)) > 0;
  }
}

const merged = (rows: readonly Row[]): Combinations => ({
  ...Object.fromEntries(rows.map(({ name, flags }) => [name, flags])),
  ...COMBINATIONS,
});
