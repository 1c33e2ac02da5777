import { Setting } from '@groupware/service-kit';
import { IsInt, Min } from 'class-validator';

/** Bounds of what is kept of large folders. */
export class MailboxIndexSettings {
  @Setting({ env: 'MAIL_LARGE_MAILBOX', doc: 'Mails from which on orders and conversations of a folder are kept' })
  @IsInt()
  @Min(1)
  largeMailbox = 1_000;

  @Setting({
    env: 'MAIL_INDEX_BYTES',
    doc: 'Most memory of one process for orders and conversations of folders, bytes; 0: none are kept',
  })
  @IsInt()
  @Min(0)
  maxBytes = 128 * 1024 * 1024;

  @Setting({ env: 'MAIL_INDEX_IDLE_MS', doc: 'How long orders and conversations of a folder are kept unused, ms' })
  @IsInt()
  @Min(1)
  idleMs = 600_000;
}
