import { DEFAULT_CONTENT_LIMITS } from '@groupware/mail-content';
import { Setting } from '@groupware/service-kit';
import { IsInt, Min } from 'class-validator';

/** Bounds of the threads that read the content of mails. */
export class MailContentSettings {
  @Setting({ env: 'MAIL_CONTENT_THREADS', doc: 'Most threads of one process that make the content of mails safe' })
  @IsInt()
  @Min(1)
  threads = DEFAULT_CONTENT_LIMITS.threads;

  @Setting({ env: 'MAIL_CONTENT_TIMEOUT_MS', doc: 'A text of a mail that takes longer is not shown, ms' })
  @IsInt()
  @Min(100)
  timeoutMs = DEFAULT_CONTENT_LIMITS.timeoutMs;

  @Setting({ env: 'MAIL_CONTENT_HEAP_MB', doc: 'A text of a mail that needs more memory is not shown, MB' })
  @IsInt()
  @Min(32)
  maxHeapMb = DEFAULT_CONTENT_LIMITS.maxHeapMb;
}
