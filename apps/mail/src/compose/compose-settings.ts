import { Setting } from '@groupware/service-kit';
import { IsInt, Min } from 'class-validator';

/** Settings of the clean-up of mails that nobody goes on writing. */
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
}
