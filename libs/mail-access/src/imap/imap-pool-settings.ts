import { Setting } from '@groupware/service-kit';
import { IsArray, IsInt, Max, Min } from 'class-validator';

/** Settings of the connections that are kept to mailboxes. */
export class ImapPoolSettings {
  @Setting({ env: 'MAIL_POOL_PER_ACCOUNT', doc: 'Most connections of one process to the mailbox of one account' })
  @IsInt()
  @Min(1)
  perAccount = 3;

  @Setting({ env: 'MAIL_POOL_IDLE_MS', doc: 'How long an unused connection to a mailbox is kept, ms' })
  @IsInt()
  @Min(0)
  idleMs = 15_000;

  @Setting({
    env: 'MAIL_POOL_LIFE_MS',
    doc: 'Longest life of a connection to a mailbox, ms: servers look now and then only for what others came to share with its user',
  })
  @IsInt()
  @Min(1)
  lifeMs = 300_000;

  @Setting({ env: 'MAIL_POOL_WAIT_MS', doc: 'Longest wait for a connection to a mailbox that others use, ms' })
  @IsInt()
  @Min(1)
  waitMs = 20_000;

  @Setting({
    env: 'MAIL_POOL_CHECK_AFTER_MS',
    doc: 'A connection to a mailbox that was not used for so long is asked for a sign of life before it is used, ms',
  })
  @IsInt()
  @Min(0)
  checkAfterMs = 2_000;

  @Setting({ env: 'MAIL_POOL_CHECK_MS', doc: 'Longest wait for that sign, ms' })
  @IsInt()
  @Min(1)
  checkMs = 3_000;

  @Setting({
    env: 'MAIL_POOL_REOPEN_AFTER_MS',
    doc: 'Pause before a connection to a mailbox is opened once more that ended while it was opened, ms',
  })
  @IsInt()
  @Min(0)
  reopenAfterMs = 250;

  @Setting({
    env: 'MAIL_POOL_REOPENINGS',
    doc: 'How often a connection to a mailbox is opened once more that ended while it was opened, for work that may be repeated; each pause is twice as long as the one before',
  })
  @IsInt()
  @Min(0)
  @Max(5)
  reopenings = 2;

  @Setting({
    env: 'MAIL_POOL_REFUSAL_MS',
    doc: 'A login that a mail server refused, or a server that could not be reached, is not tried again for the same account with the same credentials for so long, ms: servers answer slowly to wrong ones and lock who sends them often',
  })
  @IsInt()
  @Min(0)
  refusalMs = 10_000;

  @Setting({
    env: 'MAIL_POOL_SILENCE_MS',
    doc: 'A connection to a mailbox on which nothing moves for so long in the middle of a command is given up, ms; searches, copies and deletions may take four times as long',
  })
  @IsInt()
  @Min(1)
  silenceMs = 8_000;

  @Setting({
    env: 'MAIL_IGNORED_CAPABILITIES',
    doc: 'Capabilities of mail servers that are not used, such as SORT, where a server offers what it does badly',
  })
  @IsArray()
  ignoredCapabilities: string[] = [];
}
