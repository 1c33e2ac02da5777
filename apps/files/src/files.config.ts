import { Setting } from '@groupware/service-kit';
import { IsInt, Max, Min } from 'class-validator';

/** Settings of the files service. */
export class FilesConfig {
  @Setting({
    env: 'FILES_TOMBSTONE_DAYS',
    doc: 'Days for which deletions of documents are told by updates; clients that ask for older ones load the folder anew',
  })
  @IsInt()
  @Min(1)
  tombstoneDays = 366;

  @Setting({ env: 'FILES_CLEANING_MINUTES', doc: 'Minutes between two runs of the cleaner of old deletions' })
  @IsInt()
  @Min(1)
  @Max(20_000)
  cleaningMinutes = 360;

  @Setting({
    env: 'FILES_TRASH_INTERVAL_MS',
    doc: 'Time between two runs of the cleaner of trashes, for users whose trash keeps nothing for ever, ms; 0: none',
  })
  @IsInt()
  @Min(0)
  @Max(2_147_483_647)
  trashIntervalMs = 3_600_000;

  @Setting({
    env: 'FILES_AUDIO_BYTES',
    doc: 'Bytes at the beginning of an audio file that are read for its title, artist and cover',
  })
  @IsInt()
  @Min(1024)
  @Max(67_108_864)
  audioBytes = 8_388_608;

  @Setting({
    env: 'FILES_AUDIO_TIMEOUT_MS',
    doc: 'Longest time that an audio file is read for its title, artist and cover, ms',
  })
  @IsInt()
  @Min(10)
  @Max(60_000)
  audioTimeoutMs = 5_000;

  @Setting({ env: 'FILES_SWEEP_INTERVAL_MS', doc: 'Time between two sweeps of the file store, ms; 0: none' })
  @IsInt()
  @Min(0)
  sweepIntervalMs = 300_000;

  @Setting({
    env: 'FILES_SWEEP_AGE_MS',
    doc: 'Age from which contents are removed that no document has, ms; more than the move of a context may take',
  })
  @IsInt()
  @Min(1000)
  sweepAgeMs = 86_400_000;

  @Setting({
    env: 'FILES_INCOMING_AGE_MS',
    doc: 'Age from which uploads that nobody claimed are removed, ms; more than any call with an upload may take',
  })
  @IsInt()
  @Min(1000)
  incomingAgeMs = 1_800_000;
}
