import { IsInt, Max, Min } from 'class-validator';
import { Setting } from './setting';

/** Settings of health checks. */
export class HealthSettings {
  @Setting({
    env: 'GROUPWARE_HEALTH_INTERVAL_MS',
    doc: 'Pause between two runs of a health check, ms; probes show the last result and run nothing',
  })
  @IsInt()
  @Min(10)
  @Max(60_000)
  intervalMs = 1_000;

  @Setting({ env: 'GROUPWARE_HEALTH_TIMEOUT_MS', doc: 'A health check that takes longer counts as down, ms' })
  @IsInt()
  @Min(10)
  @Max(30_000)
  timeoutMs = 2_000;

  @Setting({
    env: 'GROUPWARE_METRICS_SAMPLE_MS',
    doc: 'Pause between two measurements of what metrics must ask a server for (connections, outbox, backlog), ms; a scrape shows the last one',
  })
  @IsInt()
  @Min(100)
  @Max(600_000)
  sampleMs = 5_000;
}
