import { Injectable } from '@nestjs/common';
import type { Filestore, FilestoreChange, RegisteredStore, Schema, SchemaChange } from '@groupware/contracts';
import type { AdministrationTransaction, Reader, Transaction } from '@groupware/persistence';

const USED_BYTES = `(select coalesce(sum(u.used_bytes), 0) from context c join context_usage u using (context_id)
   where c.filestore_id = filestore.filestore_id)`;
const USED_MB = `(${USED_BYTES} / 1048576.0)::double precision`;
const FILESTORE = `filestore_id as id, uri, size_mb as "sizeMb", max_contexts as "maxContexts", contexts,
  ${USED_MB} as "usedMb"`;
const SHARD = `shard as schema, dsn_ref as "dsnRef", max_contexts as "maxContexts", contexts, state`;
/** Why a transaction of one context reaches them. */
const ROOM = 'shards and file stores belong to the installation';
const WITH_ROOM = '(max_contexts < 0 or contexts < max_contexts)';
/** Most free capacity first; unlimited before all. */
const BY_ROOM = 'case when max_contexts < 0 then 1 else 0 end desc, max_contexts - contexts desc, contexts';

/** Reserved space in a file store; expires at ms UTC. */
export interface Reservation {
  readonly id: string;
  readonly storeId: number;
  readonly bytes: number;
  readonly expires: number;
}

/** Rows of file stores and shards with the number of contexts in them. */
@Injectable()
export class CapacityRepository {
  /** All file stores. */
  listFilestores(db: AdministrationTransaction): Promise<Filestore[]> {
    return db.objects<Filestore>(`select ${FILESTORE} from filestore order by filestore_id`);
  }

  /** One file store, or undefined. */
  findFilestore(db: AdministrationTransaction, id: number): Promise<Filestore | undefined> {
    return db.first<Filestore>(`select ${FILESTORE} from filestore where filestore_id = $1`, id);
  }

  /** Inserts a file store; answers its id. */
  async insertFilestore(
    db: AdministrationTransaction,
    row: { uri: string; sizeMb: number; maxContexts: number },
  ): Promise<number> {
    return Number(
      await db.text(
        'insert into filestore (uri, size_mb, max_contexts) values ($1, $2, $3) returning filestore_id',
        row.uri,
        row.sizeMb,
        row.maxContexts,
      ),
    );
  }

  /** Changes a file store; false when there is none. */
  async updateFilestore(db: AdministrationTransaction, id: number, change: FilestoreChange): Promise<boolean> {
    const changed = await db.run(
      `update filestore set uri = coalesce($2, uri), size_mb = coalesce($3, size_mb), max_contexts = coalesce($4, max_contexts)
       where filestore_id = $1`,
      id,
      change.uri ?? null,
      change.sizeMb ?? null,
      change.maxContexts ?? null,
    );
    return changed > 0;
  }

  /** Updates the credentials of a file store. */
  async updateFilestoreCredentials(db: AdministrationTransaction, id: number, sealed: string): Promise<void> {
    await db.run('update filestore set credentials = $2 where filestore_id = $1', id, sealed);
  }

  /** Lists file stores with their sealed credentials. */
  async listRegisteredStores(db: AdministrationTransaction): Promise<RegisteredStore[]> {
    const rows = await db.rows('select filestore_id, uri, credentials from filestore order by filestore_id');
    return rows.map(([id, uri, credentials]) => ({
      id: id as number,
      uri: uri as string,
      ...(credentials === null ? {} : { credentials: credentials as string }),
    }));
  }

  /** Whether the size of a file store is limited. */
  async isLimited(db: Reader, id: number): Promise<boolean> {
    const limited = 'select from filestore where filestore_id = $1 and size_mb >= 0';
    return (await db.acrossContexts(ROOM).rows(limited, id)).length > 0;
  }

  /** Reserves space for the context of the transaction; false when there is not enough. */
  async reserveSpace(tx: Transaction, { id, storeId, bytes, expires }: Reservation, now: number): Promise<boolean> {
    // Serialized: free space seen here stays free until reserved.
    const stores = tx.acrossContexts('a file store has room for many contexts');
    await stores.run('select from filestore where filestore_id = $1 for update', storeId);
    await stores.run('delete from filestore_reservation where filestore_id = $1 and expires < $2', storeId, now);
    const reserved = await stores.run(
      `insert into filestore_reservation (context_id, reservation, filestore_id, bytes, expires)
       select $1, $2, filestore_id, $4, $5 from filestore
       where filestore_id = $3 and (size_mb < 0 or ${USED_BYTES} + $4::bigint + (
         select coalesce(sum(r.bytes), 0) from filestore_reservation r where r.filestore_id = filestore.filestore_id)
         <= size_mb * 1048576)`,
      tx.contextId,
      id,
      storeId,
      bytes,
      expires,
    );
    return reserved > 0;
  }

  /** Releases reserved space. */
  async releaseSpace(tx: Transaction, reservation: string): Promise<void> {
    await tx.run('delete from filestore_reservation where context_id = $1 and reservation = $2', reservation);
  }

  /** Deletes a file store; false when it has contexts. */
  async deleteFilestore(db: AdministrationTransaction, id: number): Promise<boolean> {
    return (await db.run('delete from filestore where filestore_id = $1 and contexts = 0 and uri <> $2', id, '')) > 0;
  }

  /** All shards, the default one first. */
  listShards(db: AdministrationTransaction): Promise<Schema[]> {
    return db.objects<Schema>(`select ${SHARD} from shard_capacity order by dsn_ref <> '', shard`);
  }

  /** One shard, or undefined. */
  findShard(db: AdministrationTransaction, name: string): Promise<Schema | undefined> {
    return db.first<Schema>(`select ${SHARD} from shard_capacity where shard = $1`, name);
  }

  /** Registers a shard; false when there is one of that name. */
  async insertShard(db: AdministrationTransaction, row: Omit<Schema, 'contexts'>): Promise<boolean> {
    const added = await db.run(
      `insert into shard_capacity (shard, dsn_ref, max_contexts, state) values ($1, $2, $3, $4) on conflict do nothing`,
      row.schema,
      row.dsnRef,
      row.maxContexts,
      row.state,
    );
    return added > 0;
  }

  /** Changes a shard; false when there is none. */
  async updateShard(db: AdministrationTransaction, name: string, change: SchemaChange): Promise<boolean> {
    const changed = await db.run(
      'update shard_capacity set max_contexts = coalesce($2, max_contexts), state = coalesce($3, state) where shard = $1',
      name,
      change.maxContexts ?? null,
      change.state ?? null,
    );
    return changed > 0;
  }

  /** Deletes a shard; false when it has contexts. */
  async deleteShard(db: AdministrationTransaction, name: string): Promise<boolean> {
    return (await db.run(`delete from shard_capacity where shard = $1 and contexts = 0 and dsn_ref <> ''`, name)) > 0;
  }

  /** Finds a shard for a new context: the requested one, or the one with most capacity; undefined when full. */
  async findShardWithRoom(db: AdministrationTransaction, wanted: string | undefined): Promise<string | undefined> {
    return db.text(
      `select shard from shard_capacity
       where state = 'open' and ${WITH_ROOM} and ($1::text is null or shard = $1) order by ${BY_ROOM}, shard limit 1`,
      wanted ?? null,
    );
  }

  /** Adds (1) or removes (-1) the context of the transaction in the count of a shard; false when it is full. */
  async adjustShardCount(tx: Transaction, name: string, by: 1 | -1): Promise<boolean> {
    const counted = await tx.acrossContexts(ROOM).run(
      `update shard_capacity set contexts = contexts + $2
       where shard = $1 and ($2 < 0 or (state = 'open' and ${WITH_ROOM}))`,
      name,
      by,
    );
    return counted > 0;
  }

  /**
   * Adds the context of the transaction to a file store: the requested one, or the one with most capacity.
   * @param neededMb space the files of the context need
   * @returns its id; undefined when it is full
   */
  async allocateFilestore(tx: Transaction, wanted: number | undefined, neededMb = 0): Promise<number | undefined> {
    const row = await tx.acrossContexts('a file store has room for many contexts').first<{ id: number }>(
      `update filestore set contexts = contexts + 1
       where filestore_id = (
         select filestore_id from filestore where ${WITH_ROOM} and ($1::int is null or filestore_id = $1)
           and (size_mb < 0 or (${USED_MB} < size_mb and ${USED_MB} + $2::double precision <= size_mb))
         order by ${BY_ROOM}, filestore_id limit 1 for update)
       returning filestore_id as id`,
      wanted ?? null,
      neededMb,
    );
    return row?.id;
  }

  /** Removes the context of the transaction from the count of a file store. */
  async releaseFilestore(tx: Transaction, id: number): Promise<void> {
    await tx.acrossContexts(ROOM).run('update filestore set contexts = contexts - 1 where filestore_id = $1', id);
  }
}
