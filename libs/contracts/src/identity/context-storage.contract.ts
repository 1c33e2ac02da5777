import { defineModule, internal, value } from '../kit';

/** Where and how much a context may store. */
export interface ContextStorage {
  /** Id of the file store. */
  readonly filestoreId: number;
  /** File quota in MB, -1 without limit. */
  readonly quotaMb: number;
  /** Most objects by kind (calendar, contacts, tasks, attachments), -1 without limit; kinds that are absent have none. */
  readonly items: Readonly<Record<string, number>>;
  /** Room of the file store; absent: without limit. What is used is known some moments after it was stored. */
  readonly room?: { readonly sizeBytes: number; readonly usedBytes: number };
}

/** A file store as processes open it. */
export interface RegisteredStore {
  readonly id: number;
  /** Address without credentials; empty for the store of the setting FILESTORE_URL. */
  readonly uri: string;
  /** `key:secret` as in an address, sealed for the store. */
  readonly credentials?: string;
}

/**
 * Topic of the broadcast about changed file stores, for caches; whoever is away misses it, so caches need an end of life of
 * their own.
 */
export const FILESTORES_CHANGED = 'filestores-changed';

/** Payload of {@link FILESTORES_CHANGED}: the context that stores elsewhere now; without it stores themselves changed. */
export interface FilestoresChange {
  readonly contextId?: number;
}

/** What modules that store files ask about their context, answered by the identity service. */
export const contextStorage = defineModule(
  'context-storage',
  {
    get: internal({
      doc: 'Where and how much the context may store',
      reply: value<ContextStorage>('file store and quota'),
      repeatable: true,
    }),
    stores: internal({
      doc: 'All file stores of the installation',
      reply: value<readonly RegisteredStore[]>('file stores'),
      repeatable: true,
    }),
  },
  { service: 'identity' },
);
