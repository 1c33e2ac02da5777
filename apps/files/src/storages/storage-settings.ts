import { Setting } from '@groupware/service-kit';
import { IsInt, Max, Min } from 'class-validator';

/** Settings of storages elsewhere. */
export class StorageSettings {
  @Setting({
    env: 'FILES_STORAGE_TIMEOUT_MS',
    doc: 'Longest time in which a storage elsewhere begins to answer, ms; an upload has the time of its call',
  })
  @IsInt()
  @Min(100)
  @Max(120_000)
  timeoutMs = 30_000;

  @Setting({
    env: 'FILES_STORAGE_IDLE_MS',
    doc: 'Longest time in which no byte of a file comes from a storage elsewhere, ms',
  })
  @IsInt()
  @Min(100)
  @Max(600_000)
  idleMs = 30_000;

  @Setting({
    env: 'FILES_STORAGE_CHECK_MS',
    doc: 'Longest time in which lists of accounts and the tree of folders wait for a storage elsewhere, ms; less than FOLDERS_OWNER_TIMEOUT_MS',
  })
  @IsInt()
  @Min(100)
  @Max(60_000)
  checkMs = 3_000;

  @Setting({
    env: 'FILES_STORAGE_RECHECK_MS',
    doc: 'Age from which the state of a storage elsewhere is looked at again, ms; the tree of folders tells the former one meanwhile',
  })
  @IsInt()
  @Min(100)
  @Max(3_600_000)
  recheckMs = 15_000;

  @Setting({ env: 'FILES_STORAGE_LIST_BYTES', doc: 'Longest description of a folder of a storage elsewhere, bytes' })
  @IsInt()
  @Min(10_000)
  listBytes = 33_554_432;

  @Setting({ env: 'FILES_STORAGE_LIST_ENTRIES', doc: 'Most files and folders in one folder of a storage elsewhere' })
  @IsInt()
  @Min(1)
  listEntries = 20_000;

  @Setting({
    env: 'FILES_STORAGE_TREE_FOLDERS',
    doc: 'Most folders of a storage elsewhere that one search or archive visits',
  })
  @IsInt()
  @Min(1)
  treeFolders = 500;

  @Setting({
    env: 'FILES_STORAGE_TREE_DEPTH',
    doc: 'Levels below a folder of a storage elsewhere that searches and archives visit',
  })
  @IsInt()
  @Min(0)
  @Max(64)
  treeDepth = 16;
}
