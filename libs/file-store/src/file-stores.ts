import type { ByteRange, FileStore, StoredFile, WriteOptions } from './file-store';

/** Id of the store that the setting FILESTORE_URL names. */
export const OWN_STORE = 1;

/** Directory of the registered stores. */
export interface StorePlaces {
  /** Id of the store provisioned for a context. */
  storeOf(contextId: number): Promise<number>;
  /** A registered store. @throws FLS-0021 when there is none */
  open(storeId: number): Promise<FileStore>;
  /** Ids of all registered stores beside {@link OWN_STORE}. */
  others(): Promise<readonly number[]>;
}

/** `<id>-<reference within the store>`; references of {@link OWN_STORE} bear no id. */
const FOREIGN = /^([1-9]\d{0,9})-([0-9a-f]{32})$/;

/** Id of the store that holds the bytes of a reference. */
export const storeIdOf = (reference: string): number => Number(FOREIGN.exec(reference)?.[1] ?? OWN_STORE);

/**
 * All stores of the installation behind one interface: a reference says in which store its bytes lie, so the holder of one
 * need not know where the context stores now. Only a write chooses: the store of {@link WriteOptions}, else the own one.
 */
export class FileStores implements FileStore {
  constructor(
    private readonly own: FileStore,
    private readonly places: StorePlaces,
  ) {}

  /** Id of the store provisioned for a context. */
  storeOf(contextId: number): Promise<number> {
    return this.places.storeOf(contextId);
  }

  async write(stream: AsyncIterable<Uint8Array>, options: WriteOptions): Promise<StoredFile> {
    const storeId = await this.targetOf(options);
    if (storeId === OWN_STORE) return this.own.write(stream, options);
    const stored = await (await this.places.open(storeId)).write(stream, options);
    return { ...stored, reference: `${storeId}-${stored.reference}` };
  }

  read(reference: string, range?: ByteRange): AsyncIterable<Uint8Array> {
    return storeIdOf(reference) === OWN_STORE ? this.own.read(reference, range) : this.readForeign(reference, range);
  }

  size(reference: string): Promise<number | undefined> {
    return this.at(reference, (store, inner) => store.size(inner));
  }

  claim(reference: string): Promise<boolean> {
    return this.at(reference, (store, inner) => store.claim(inner));
  }

  discard(reference: string): Promise<boolean> {
    return this.at(reference, (store, inner) => store.discard(inner));
  }

  remove(reference: string): Promise<boolean> {
    return this.at(reference, (store, inner) => store.remove(inner));
  }

  /** Sweeps every store; one that fails does not keep the others from it, but fails the sweep at its end. */
  async sweep(olderThanMs: number): Promise<number> {
    const sweeps = [
      this.own.sweep(olderThanMs),
      ...(await this.places.others()).map(async (id) => (await this.places.open(id)).sweep(olderThanMs)),
    ];
    const results = await Promise.allSettled(sweeps);
    const failure = results.find((result) => result.status === 'rejected');
    if (failure) throw failure.reason;
    return results.reduce((sum, result) => sum + (result.status === 'fulfilled' ? result.value : 0), 0);
  }

  private async targetOf({ storeId, contextId }: WriteOptions): Promise<number> {
    if (storeId !== undefined) return storeId;
    return contextId === undefined ? OWN_STORE : this.places.storeOf(contextId);
  }

  private async *readForeign(reference: string, range?: ByteRange): AsyncGenerator<Uint8Array> {
    const { store, inner } = await this.find(reference);
    yield* store.read(inner, range);
  }

  private async at<T>(reference: string, work: (store: FileStore, inner: string) => Promise<T>): Promise<T> {
    const { store, inner } = await this.find(reference);
    return work(store, inner);
  }

  private async find(reference: string): Promise<{ store: FileStore; inner: string }> {
    const [, id, inner] = FOREIGN.exec(reference) ?? [];
    if (id === undefined || Number(id) === OWN_STORE) return { store: this.own, inner: reference };
    return { store: await this.places.open(Number(id)), inner: inner! };
  }
}
