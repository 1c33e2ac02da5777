import { Injectable } from '@nestjs/common';
import type { AdministrationTransaction, Reader, Transaction } from '@groupware/persistence';

/** Effect of a write. */
export type WriteResult = 'CREATED' | 'UPDATED';

/** Configurations as JSON text: of packages, which belong to the installation, and previews, which belong to users. */
@Injectable()
export class AdvertisementRepository {
  /** Configurations of some packages of a reseller, by package. */
  async findByPackages(
    db: AdministrationTransaction,
    reseller: string,
    packages: readonly string[],
  ): Promise<Map<string, string>> {
    const rows = await db.rows(
      'select package, config from advertisement_config where reseller = $1 and package = any ($2::text[])',
      reseller,
      packages,
    );
    return new Map(rows as [string, string][]);
  }

  /** Every package of a reseller as JSON text `[{package, config}]`, sorted by name; undefined when there is none. */
  findByReseller(db: AdministrationTransaction, reseller: string): Promise<string | undefined> {
    return db.text(
      `select json_agg(json_build_object('package', package, 'config', config::json) order by package collate "C")::text
       from advertisement_config where reseller = $1`,
      reseller,
    );
  }

  /** Stores the configuration of a package. */
  async upsert(
    db: AdministrationTransaction,
    reseller: string,
    name: string,
    config: string,
    now: number,
  ): Promise<WriteResult> {
    const created = await db.text(
      `insert into advertisement_config (reseller, package, config, changed) values ($1, $2, $3, $4)
       on conflict (reseller, package) do update set config = excluded.config, changed = excluded.changed
       returning (xmax = 0)::text`,
      reseller,
      name,
      config,
      now,
    );
    return created === 'true' ? 'CREATED' : 'UPDATED';
  }

  /** Removes the configuration of a package; false when there is none. */
  async delete(db: AdministrationTransaction, reseller: string, name: string): Promise<boolean> {
    return (await db.run('delete from advertisement_config where reseller = $1 and package = $2', reseller, name)) > 0;
  }

  /** Removes every package of a reseller and tells how many there were. */
  deleteAll(db: AdministrationTransaction, reseller: string): Promise<number> {
    return db.run('delete from advertisement_config where reseller = $1', reseller);
  }

  /** The preview of a user, or undefined. */
  findPreview(db: Reader, userId: number): Promise<string | undefined> {
    return db.text('select config from advertisement_preview where context_id = $1 and user_id = $2', userId);
  }

  /** Stores the preview of a user. */
  async upsertPreview(tx: Transaction, userId: number, config: string, now: number): Promise<WriteResult> {
    const created = await tx.text(
      `insert into advertisement_preview (context_id, user_id, config, changed) values ($1, $2, $3, $4)
       on conflict (context_id, user_id) do update set config = excluded.config, changed = excluded.changed
       returning (xmax = 0)::text`,
      userId,
      config,
      now,
    );
    return created === 'true' ? 'CREATED' : 'UPDATED';
  }

  /** Removes the preview of a user; false when there is none. */
  async deletePreview(tx: Transaction, userId: number): Promise<boolean> {
    return (await tx.run('delete from advertisement_preview where context_id = $1 and user_id = $2', userId)) > 0;
  }

  /** Removes the previews of every user of the context. */
  async deletePreviews(tx: Transaction): Promise<void> {
    await tx.run('delete from advertisement_preview where context_id = $1');
  }
}
