import { Setting } from '@groupware/service-kit';
import { IsInt, Min } from 'class-validator';

/** Settings of the attachments service. */
export class AttachmentsConfig {
  @Setting({ env: 'ATTACHMENTS_SWEEP_INTERVAL_MS', doc: 'Time between two sweeps of the file store, ms; 0: none' })
  @IsInt()
  @Min(0)
  sweepIntervalMs = 3_600_000;

  @Setting({
    env: 'ATTACHMENTS_SWEEP_AGE_MS',
    doc: 'Age from which files that nobody claimed are removed, ms; more than any call or import job may take',
  })
  @IsInt()
  @Min(1000)
  sweepAgeMs = 86_400_000;
}
