import {
  CatalogueError,
  RequestErrors,
  type FolderModule,
  type OwnedFolder,
  type OwnedFolderListing,
} from '@groupware/contracts';

/** What a module answers of several parts of the tree. */
export interface ListedParts {
  /** Folders of each part; undefined for a part that failed. */
  readonly lists: readonly (readonly OwnedFolder[] | undefined)[];
  /** Stamp up to which they are complete, ms UTC; Infinity for a module without stamps. */
  readonly stamp: number;
  /** Why a part failed. */
  readonly failure?: unknown;
}

/** Asks a module for parts of the tree. */
type AskParts = (parts: readonly OwnedFolderListing[]) => Promise<ListedParts>;

/** A call that others may still join. */
interface OpenCall {
  readonly parts: OwnedFolderListing[];
  readonly answer: Promise<ListedParts>;
}

/** Most parts in one call; those behind go into another one. */
const MAX_PARTS = 32;

/**
 * Joins what calls of one client request ask a module for at the same time: the batch that clients send every few minutes lists four
 * parts of the tree, and each would be a question to every module.
 */
export class ListingCalls {
  private readonly open = new Map<string, OpenCall>();

  /**
   * Asks a module for parts.
   * @param requester equal for calls that have the same rights and end at the same time
   * @throws what the module says when it does not answer, or refuses all of these parts: those of others do not matter
   */
  async load(
    module: FolderModule,
    requester: string,
    parts: readonly OwnedFolderListing[],
    ask: AskParts,
  ): Promise<ListedParts> {
    const key = `${module} ${requester}`;
    const known = this.open.get(key);
    const call = known && known.parts.length + parts.length <= MAX_PARTS ? known : this.begin(key, ask);
    const first = call.parts.length;
    call.parts.push(...parts);
    try {
      const { lists, stamp } = await call.answer;
      return { lists: lists.slice(first, first + parts.length), stamp };
    } catch (error) {
      if (call.parts.length === 1 || isAway(error)) throw error;
      return this.loadOneByOne(parts, ask);
    }
  }

  /** Some part failed, as one of a storage elsewhere does that is down: the others are not lost with it. */
  private async loadOneByOne(parts: readonly OwnedFolderListing[], ask: AskParts): Promise<ListedParts> {
    const answers = await Promise.allSettled(parts.map((part) => ask([part])));
    const done = answers.filter((answer) => answer.status === 'fulfilled');
    const failed = answers.find((answer) => answer.status === 'rejected');
    if (failed && done.length === 0) throw failed.reason;
    return {
      lists: answers.map((answer) => (answer.status === 'fulfilled' ? answer.value.lists[0] : undefined)),
      stamp: Math.min(...done.map(({ value }) => value.stamp)),
      ...(failed ? { failure: failed.reason } : {}),
    };
  }

  private begin(key: string, ask: AskParts): OpenCall {
    const parts: OwnedFolderListing[] = [];
    const answer = new Promise<ListedParts>((resolve, reject) => {
      // After the messages that have arrived were taken up.
      setImmediate(() => {
        if (this.open.get(key) === call) this.open.delete(key);
        ask(parts).then(resolve, reject);
      });
    });
    const call = { parts, answer };
    this.open.set(key, call);
    return call;
  }
}

/** Whether the module did not answer at all: asking it again would take as long. */
export const isAway = (error: unknown): boolean =>
  error instanceof CatalogueError &&
  [RequestErrors.deadlinePassed, RequestErrors.serviceUnavailable].some((kind) => error.is(kind));
