import { Setting } from '@groupware/service-kit';
import { IsInt, Max, Min } from 'class-validator';

/** Settings of listening for new mails. */
export class MailWatchSettings {
  @Setting({
    env: 'MAIL_WATCH_MAX',
    doc: 'Most mailboxes that one process listens to for new mails, one connection each within MAIL_CONNECTIONS_PER_HOST; 0: none',
  })
  @IsInt()
  @Min(0)
  max = 2_000;

  @Setting({
    env: 'MAIL_WATCH_PER_USER',
    doc: 'Most mailboxes of one user that are listened to: the primary one, then other accounts in their order',
  })
  @IsInt()
  @Min(1)
  @Max(20)
  perUser = 3;

  @Setting({ env: 'MAIL_WATCH_STARTS', doc: 'Most connections for new mails that one process opens at the same time' })
  @IsInt()
  @Min(1)
  starts = 10;

  @Setting({
    env: 'MAIL_WATCH_IDLE_MS',
    doc: 'Listening ends so long after the last sign that the user looks; more than twice GATEWAY_STREAM_CHECK_MS, by which the signs come, ms',
  })
  @IsInt()
  @Min(100)
  idleMs = 60_000;

  @Setting({
    env: 'MAIL_WATCH_LEASE_MS',
    doc: 'So long after its last sign of life another process may take over the users of a process, ms',
  })
  @IsInt()
  @Min(100)
  leaseMs = 15_000;

  @Setting({
    env: 'MAIL_WATCH_RENEW_MS',
    doc: 'Every so often IDLE is said again, and the connection is seen to live; servers hang up after 29 minutes (RFC 2177), ms',
  })
  @IsInt()
  @Min(10)
  @Max(28 * 60_000)
  renewMs = 240_000;

  @Setting({
    env: 'MAIL_WATCH_POLL_MS',
    doc: 'Servers without IDLE are asked every so often for new mails while a user looks, ms',
  })
  @IsInt()
  @Min(10)
  @Max(240_000)
  pollMs = 60_000;

  @Setting({
    env: 'MAIL_WATCH_RETRY_MS',
    doc: 'First pause after a connection for new mails failed, ms; each further one is twice as long, up to 32 times, and a part of it is random',
  })
  @IsInt()
  @Min(10)
  retryMs = 5_000;

  @Setting({
    env: 'MAIL_WATCH_PAUSE_MS',
    doc: 'So long nobody listens for a user without mailboxes, or whose login mail servers refuse, ms',
  })
  @IsInt()
  @Min(100)
  pauseMs = 300_000;
}
