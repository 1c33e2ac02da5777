import { allowCallers, defineModule, Field, internal, value } from '../kit';

const OF_THE_CONTEXT = allowCallers('space of the context as a whole, for the services that keep its files');

/** File store and quota of a context. */
export interface ContextStorage {
  /** Id of the file store. */
  readonly filestoreId: number;
  /** File quota in MB, -1 without limit. */
  readonly quotaMb: number;
}

/** Storage in which a context may store some bytes now. */
export interface ReservedStorage extends ContextStorage {
  /** Bytes of the context that files of other services use, as they told it last. */
  readonly usedByOthers: number;
  /** Id of what is set aside in the file store; absent: the store has no limit. */
  readonly reservation?: string;
}

/** How much is to be stored. */
export class ReserveQuery {
  @Field.number({ doc: 'Bytes', min: 0 }) bytes!: number;
}

/** A reservation of space. */
export class ReservationQuery {
  @Field.text({ doc: 'Id of a reservation', maxLength: 64 }) reservation!: string;
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
 * Topic of the broadcast about changed file stores, for caches; absent processes miss it, so caches need an end of life of
 * their own.
 */
export const FILESTORES_CHANGED = 'filestores-changed';

/** Payload of {@link FILESTORES_CHANGED}: the context that stores elsewhere now; without it stores themselves changed. */
export interface FilestoresChange {
  readonly contextId?: number;
}

/** Storage of a context, for modules that store files, answered by the identity service. */
export const contextStorage = defineModule(
  'context-storage',
  {
    get: internal({
      access: OF_THE_CONTEXT,
      calledBy: 'everyService',
      doc: 'Where and how much the context may store',
      reply: value<ContextStorage>('file store and quota'),
      repeatable: true,
    }),
    reserve: internal({
      access: OF_THE_CONTEXT,
      calledBy: ['attachments', 'files'],
      doc: 'The same, with bytes set aside in the file store until the space that the context uses is told anew, or for a while; FLS-0011 when there is no room for them',
      query: ReserveQuery,
      reply: value<ReservedStorage>('file store, quota and reservation'),
    }),
    release: internal({
      access: OF_THE_CONTEXT,
      calledBy: ['attachments', 'files'],
      doc: 'Gives back what was set aside and not used',
      query: ReservationQuery,
      reply: value<boolean>('true'),
      repeatable: true,
    }),
    stores: internal({
      access: OF_THE_CONTEXT,
      calledBy: 'everyService',
      doc: 'All file stores of the installation',
      reply: value<readonly RegisteredStore[]>('file stores'),
      repeatable: true,
    }),
  },
  { service: 'identity' },
);
