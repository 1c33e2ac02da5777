import { Setting } from '@groupware/service-kit';
import { IsInt, Max, Min } from 'class-validator';

/** Bounds of collecting mails of POP3 accounts. */
export class MailCollectionSettings {
  @Setting({
    env: 'MAIL_COLLECTION_ROUNDS',
    doc: 'Most POP3 accounts whose mails one process collects at the same time; 0: none',
  })
  @IsInt()
  @Min(0)
  rounds = 4;

  @Setting({
    env: 'MAIL_COLLECTION_MAILS',
    doc: 'Most mails that one look at a POP3 account collects; the others are for the next',
  })
  @IsInt()
  @Min(1)
  mails = 200;

  @Setting({
    env: 'MAIL_COLLECTION_MAIL_BYTES',
    doc: 'Largest mail that is collected, bytes; larger ones stay at the POP3 server',
  })
  @IsInt()
  @Min(1_024)
  mailBytes = 50 * 1024 * 1024;

  @Setting({ env: 'MAIL_COLLECTION_ROUND_MS', doc: 'Longest time of one look at a POP3 account, ms' })
  @IsInt()
  @Min(1_000)
  @Max(3_600_000)
  roundMs = 300_000;

  @Setting({
    env: 'MAIL_COLLECTION_PAUSE_MS',
    doc: 'Least time between two looks at a POP3 account, whatever the account says, ms',
  })
  @IsInt()
  @Min(100)
  pauseMs = 60_000;
}
