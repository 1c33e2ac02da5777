import { Setting } from '@groupware/service-kit';
import { IsInt, Min } from 'class-validator';

/** Settings of mails that are written. */
export class ComposeSettings {
  @Setting({
    env: 'MAIL_COMPOSE_SWEEP_INTERVAL_MS',
    doc: 'Time between two removals of composition spaces that are idle and of files that nobody needs, ms; 0: none',
  })
  @IsInt()
  @Min(0)
  sweepIntervalMs = 300_000;

  @Setting({
    env: 'MAIL_COMPOSE_FILE_AGE_MS',
    doc: 'Time after which a file goes that was taken out of a mail that is written, ms; more than a download or an upload may take',
  })
  @IsInt()
  @Min(1_000)
  fileAgeMs = 3_600_000;

  @Setting({
    env: 'MAIL_COMPOSE_BUSY_MS',
    doc: 'Time for which a mail cannot be changed or sent once more after the process that sends it was last heard of, ms; it makes itself heard three times as often',
  })
  @IsInt()
  @Min(1_000)
  busyMs = 60_000;
}
