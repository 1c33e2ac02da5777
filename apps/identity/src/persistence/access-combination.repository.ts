import { Injectable } from '@nestjs/common';
import type { AdministrationStatements, AdministrationTransaction } from '@groupware/persistence';
import { COMBINATIONS, type Combinations } from '../domain/module-access';

interface Row {
  readonly name: string;
  readonly flags: string[];
}

/** Named combinations: built-in ones and those of operators. */
@Injectable()
export class AccessCombinationRepository {
  /** All of them. */
  async listAll(db: Pick<AdministrationStatements, 'objects'>): Promise<Combinations> {
    return mergeBuiltIn(await db.objects<Row>('select name, flags from access_combination order by name'));
  }

  /** Creates or replaces a combination. */
  async upsert(db: AdministrationTransaction, name: string, flags: readonly string[]): Promise<void> {
    await db.run(
      `insert into access_combination (name, flags) values ($1, $2) on conflict (name) do update set flags = excluded.flags`,
      name,
      flags,
    );
  }

  /** Deletes a combination; false when there is none. */
  async delete(db: AdministrationTransaction, name: string): Promise<boolean> {
    return (await db.run('delete from access_combination where name = $1', name)) > 0;
  }
}

const mergeBuiltIn = (rows: readonly Row[]): Combinations => ({
  ...Object.fromEntries(rows.map(({ name, flags }) => [name, flags])),
  ...COMBINATIONS,
});
