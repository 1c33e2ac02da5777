import { Setting } from '@groupware/service-kit';
import { IsInt, Max, Min } from 'class-validator';

/** Budgets of connections to mail servers, shared by all processes of the installation. */
export class GovernorSettings {
  @Setting({ env: 'MAIL_CONNECTIONS_PER_ACCOUNT', doc: 'Most connections to a mail server for one account' })
  @IsInt()
  @Min(1)
  perAccount = 8;

  @Setting({ env: 'MAIL_CONNECTIONS_PER_HOST', doc: 'Most connections to one mail server, over all processes' })
  @IsInt()
  @Min(1)
  perHost = 200;

  @Setting({
    env: 'MAIL_CONNECTIONS_BACKGROUND_PERCENT',
    doc: 'Share of the connections that work in the background may use',
  })
  @IsInt()
  @Min(1)
  @Max(100)
  backgroundPercent = 50;

  @Setting({ env: 'MAIL_CONNECTS_PER_SECOND', doc: 'Most new connections to one mail server per second' })
  @IsInt()
  @Min(1)
  connectsPerSecond = 100;

  @Setting({
    env: 'MAIL_BREAKER_FAILURES',
    doc: 'Failures in a row after which a mail server is left alone for a while',
  })
  @IsInt()
  @Min(1)
  breakerFailures = 8;

  @Setting({
    env: 'MAIL_BREAKER_PAUSE_MS',
    doc: 'First pause of a server that fails, ms; each further one is twice as long',
  })
  @IsInt()
  @Min(10)
  breakerPauseMs = 2_000;

  @Setting({ env: 'MAIL_BREAKER_MAX_PAUSE_MS', doc: 'Longest pause of a server that fails, ms' })
  @IsInt()
  @Min(10)
  breakerMaxPauseMs = 120_000;

  @Setting({ env: 'MAIL_CONNECTION_WAIT_MS', doc: 'Longest time a user waits for a free connection, ms' })
  @IsInt()
  @Min(0)
  waitMs = 5_000;

  @Setting({ env: 'MAIL_CONNECTION_LEASE_MS', doc: 'Life of a connection in the books once its process is gone, ms' })
  @IsInt()
  @Min(1_000)
  leaseMs = 30_000;
}
