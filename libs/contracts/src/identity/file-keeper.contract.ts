import { allowCallers, defineModule, Field, internal, value } from '../kit';

const FOR_MOVES = allowCallers('files move between stores unread');

/** Which files of the context are to come to which store. */
export class FileGathering {
  @Field.int({ doc: 'File store', min: 1 }) storeId!: number;
  @Field.text({ doc: 'Where the step before ended; absent: the first step', optional: true, maxLength: 64 })
  after?: string;
}

/** Outcome of one step of a gathering. */
export interface GatheredFiles {
  readonly files: number;
  readonly bytes: number;
  /** Files that stay where they are since their bytes cannot be read or are damaged. */
  readonly unreadable: number;
  /** Start of the next step; absent: this was the last one. */
  readonly next?: string;
}

/** A file store. */
export class FileStoreQuery {
  @Field.int({ doc: 'File store', min: 1 }) storeId!: number;
}

const keepers: FileKeeper[] = [];
const contractOf = (module: string) =>
  defineModule(
    `${module}-files`,
    {
      gather: internal({
        access: FOR_MOVES,
        calledBy: ['identity'],
        doc: 'Brings files of the context that lie in other stores to this one, some of them. They can be read meanwhile',
        query: FileGathering,
        reply: value<GatheredFiles>('what was done'),
        // As long as the largest file takes.
        deadlineMs: 6 * 3_600_000,
      }),
      inStore: internal({
        access: FOR_MOVES,
        calledBy: ['identity'],
        doc: 'Number of files of all contexts in a store',
        query: FileStoreQuery,
        reply: value<number>('number of files'),
        repeatable: true,
      }),
    },
    { service: module },
  );

/** Operations that every module which keeps files of a context answers. */
export type FileKeeper = ReturnType<typeof contractOf>;

/** Declares that a module keeps files of contexts; its service answers `<module>-files`. */
export function fileKeeper(module: string): FileKeeper {
  const contract = contractOf(module);
  keepers.push(contract);
  return contract;
}

/** All modules that keep files. */
export const fileKeepers = (): readonly FileKeeper[] => keepers;
