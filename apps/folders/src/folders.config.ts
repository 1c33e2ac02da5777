import { Setting } from '@groupware/service-kit';
import { IsInt, Max, Min } from 'class-validator';

/** Settings of the folders service. */
export class FoldersSettings {
  @Setting({
    env: 'FOLDERS_OWNER_TIMEOUT_MS',
    doc: 'Longest time that lists of folders wait for one module, ms; a slower one is missing in the answer',
  })
  @IsInt()
  @Min(100)
  @Max(60_000)
  ownerTimeoutMs = 5_000;

  @Setting({
    env: 'FOLDERS_MAX_LISTED',
    doc: 'Most folders in the answer of one list; more are left out, with a warning. A process that answers so many needs about 2 KiB for each',
  })
  @IsInt()
  @Min(10)
  @Max(1_000_000)
  maxListed = 100_000;
}
