import type { Tenant } from '@groupware/contracts';
import type { AdministrationTransaction, Reader, Transaction } from './reader';

/** How a read sees the data. */
export interface ReadOptions {
  /** All statements see the same moment (repeatable read). Default: each statement sees what is committed when it starts. */
  readonly snapshot?: boolean;
}

/** The only way of module code to its rows: one schema of one module, on every shard. */
export class ModuleDatabase {
  /** Reads data of one tenant. The reader is dead once `work` ended. */
  read<T>(_tenant: Tenant, _work: (db: Reader) => Promise<T>, _options: ReadOptions = {}): Promise<T> {
    throw new Error('not ready');
  }

  /** Runs `work` in a transaction on the tenant's data; repeats it after a deadlock or a serialization failure. */
  transact<T>(_tenant: Tenant, _work: (tx: Transaction) => Promise<T>): Promise<T> {
    throw new Error('not ready');
  }

  /** A transaction without tenant on the default shard, for administration only. */
  acrossContexts<T>(_work: (db: AdministrationTransaction) => Promise<T>): Promise<T> {
    throw new Error('not ready');
  }

  /** The same on every shard; the results in the order of the shards' names. */
  acrossShards<T>(_work: (db: AdministrationTransaction) => Promise<T>): Promise<T[]> {
    throw new Error('not ready');
  }
}
