import { Setting } from '@groupware/service-kit';
import { IsInt, Max, Min } from 'class-validator';

/** Settings of the attachments service. */
export class AttachmentsConfig {
  @Setting({ env: 'ATTACHMENTS_SWEEP_INTERVAL_MS', doc: 'Time between two sweeps of the file store, ms; 0: none' })
  @IsInt()
  @Min(0)
  sweepIntervalMs = 300_000;

  @Setting({
    env: 'ATTACHMENTS_SWEEP_AGE_MS',
    doc: 'Age from which contents are removed that no attachment has, ms; more than the move of a context may take',
  })
  @IsInt()
  @Min(1000)
  sweepAgeMs = 86_400_000;

  @Setting({
    env: 'ATTACHMENTS_INCOMING_AGE_MS',
    doc: 'Age from which uploads that nobody claimed are removed, ms; more than any call with an upload may take',
  })
  @IsInt()
  @Min(1000)
  incomingAgeMs = 1_800_000;

  @Setting({
    env: 'ATTACHMENTS_FIND_MAX',
    doc: 'Most objects that a search by the name of a file finds; those with the newest files',
  })
  @IsInt()
  @Min(1)
  @Max(100_000)
  findMax = 10_000;
}
