import { Setting } from '@groupware/service-kit';
import { IsInt, Max, Min } from 'class-validator';

const DAY_MS = 86_400_000;

/** Settings of the push service. */
export class PushConfig {
  @Setting({
    env: 'PUSH_RETENTION_MS',
    doc: 'Notices of users are kept so long for clients that come back, ms; also how long they are kept for users without a connection',
  })
  @IsInt()
  @Min(60_000)
  @Max(7 * DAY_MS)
  retentionMs = 3_600_000;

  @Setting({ env: 'PUSH_RETENTION_COUNT', doc: 'Most notices kept for one user; clients that missed more load anew' })
  @IsInt()
  @Min(10)
  retentionCount = 1_000;

  @Setting({
    env: 'PUSH_DEDUPE_MS',
    doc: 'The same mail told again within this time is told to nobody a second time, ms',
  })
  @IsInt()
  @Min(0)
  @Max(DAY_MS)
  dedupeMs = 600_000;

  @Setting({
    env: 'PUSH_ALLOW_PLAIN',
    doc: 'Accept http: addresses for webhooks and Web Push; for networks of your own only',
  })
  allowPlain = false;
}
