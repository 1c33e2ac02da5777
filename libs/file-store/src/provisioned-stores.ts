import {
  contextStorage,
  FileErrors,
  FILESTORES_CHANGED,
  type FilestoresChange,
  type RegisteredStore,
} from '@groupware/contracts';
import { ExpiringCache } from '@groupware/directory';
import type { Caller, EventBus } from '@groupware/messaging';
import type { FileStore } from './file-store';
import { fileStoreFor } from './file-store-for';
import type { StorePlaces } from './file-stores';

/** Time after which known stores are asked for again even without word of a change, ms. */
const LIFE_MS = 60_000;
const MAX_CONTEXTS = 20_000;
/** A store that is not known is asked for again at most so often, ms. */
const MISS_MS = 1_000;
const SERVICE = 'file-store';

/** Opens the credentials of a store; undefined when no key of the process opens them. */
export type Unseal = (sealed: string, owner: string) => string | undefined;

interface Known {
  readonly at: number;
  readonly byId: ReadonlyMap<number, RegisteredStore>;
}

/** Stores as provisioned: asked from the identity service, kept in memory, dropped when it says that they changed. */
export class ProvisionedStores implements StorePlaces {
  private readonly contexts = new ExpiringCache<Promise<number>>(LIFE_MS, MAX_CONTEXTS);
  private readonly drivers = new Map<number, { readonly key: string; readonly store: FileStore }>();
  private known: Known | undefined;
  private asking: Promise<Known> | undefined;

  constructor(
    private readonly caller: Pick<Caller, 'call'>,
    private readonly unseal: Unseal,
    private readonly now: () => number,
  ) {}

  /** Drops what is known when another process says that it changed. */
  follow(events: Pick<EventBus, 'onBroadcast'>): void {
    events.onBroadcast<FilestoresChange>(FILESTORES_CHANGED, ({ contextId }) => {
      if (contextId === undefined) this.known = undefined;
      else this.contexts.forget(`${contextId}.`);
    });
  }

  storeOf(contextId: number): Promise<number> {
    const key = `${contextId}.`;
    const known = this.contexts.get(key, this.now());
    if (known) return known;
    const asked = this.caller
      .call(contextStorage.get, { principal: { kind: 'internal', service: SERVICE, contextId } })
      .then(({ filestoreId }) => filestoreId);
    this.contexts.set(key, asked, this.now());
    // Looking for the same context again asks again.
    asked.catch(() => this.contexts.forget(key));
    return asked;
  }

  async open(storeId: number): Promise<FileStore> {
    let known = await this.registered();
    if (!known.byId.has(storeId) && this.now() - known.at > MISS_MS) known = await this.ask();
    const registered = known.byId.get(storeId);
    if (!registered) throw FileErrors.noStore(storeId);
    return this.driverOf(registered);
  }

  async others(): Promise<readonly number[]> {
    const { byId } = await this.registered();
    return [...byId.values()].flatMap(({ id, uri }) => (uri === '' ? [] : [id]));
  }

  private driverOf({ id, uri, credentials }: RegisteredStore): FileStore {
    const key = `${uri} ${credentials ?? ''}`;
    const open = this.drivers.get(id);
    if (open?.key === key) return open.store;
    const store = fileStoreFor(credentials === undefined ? uri : this.withCredentials(id, uri, credentials));
    this.drivers.set(id, { key, store });
    return store;
  }

  private withCredentials(id: number, uri: string, sealed: string): string {
    const credentials = this.unseal(sealed, storeOwner(id));
    if (credentials === undefined) throw FileErrors.unreachable(`the credentials of store ${id} cannot be read`);
    return uri.replace('://', `://${credentials}@`);
  }

  private async registered(): Promise<Known> {
    const { known } = this;
    if (known && known.at + LIFE_MS > this.now()) return known;
    try {
      return await this.ask();
    } catch (error) {
      // The state of a minute ago is better than no file at all.
      if (known) return known;
      throw error;
    }
  }

  private ask(): Promise<Known> {
    this.asking ??= this.caller
      .call(contextStorage.stores, { principal: { kind: 'internal', service: SERVICE, contextId: 0 } })
      .then((stores) => (this.known = { at: this.now(), byId: new Map(stores.map((store) => [store.id, store])) }))
      .finally(() => (this.asking = undefined));
    return this.asking;
  }
}

/** Purpose of the key that seals credentials of stores. */
export const STORE_CREDENTIALS = 'file-store';

/** Owner that the credentials of a store are sealed for: those of another store do not open. */
export const storeOwner = (storeId: number): string => `filestore:${storeId}`;
