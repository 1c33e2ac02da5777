import { Setting } from '@groupware/service-kit';
import { IsInt, Max, Min } from 'class-validator';

/** Settings of foreign calendars. */
export class SourceConfig {
  @Setting({ env: 'FREEBUSY_SOURCE_TIMEOUT_MS', doc: 'Longest time of one calendar elsewhere, waiting included, ms' })
  @IsInt()
  @Min(100)
  @Max(20_000)
  sourceTimeoutMs = 4_000;

  @Setting({ env: 'FREEBUSY_SOURCE_MAX_BYTES', doc: 'Largest calendar elsewhere, bytes' })
  @IsInt()
  @Min(1024)
  sourceMaxBytes = 2_097_152;

  @Setting({ env: 'FREEBUSY_SOURCE_MAX_ENTRIES', doc: 'Most events and periods that are taken from one calendar' })
  @IsInt()
  @Min(1)
  sourceMaxEntries = 5_000;

  @Setting({
    env: 'FREEBUSY_SOURCE_MAX_STEPS',
    doc: 'Most steps of recurrence rules that are taken for one calendar in one question; what lies behind is left out',
  })
  @IsInt()
  @Min(1_000)
  sourceMaxSteps = 2_000_000;

  @Setting({ env: 'FREEBUSY_MAX_SOURCES', doc: 'Most calendars elsewhere of one question; others count as down' })
  @IsInt()
  @Min(0)
  maxSources = 100;

  @Setting({ env: 'FREEBUSY_SOURCES_AT_ONCE', doc: 'Most calendars elsewhere that are fetched at once' })
  @IsInt()
  @Min(1)
  sourceParallel = 16;

  @Setting({ env: 'FREEBUSY_SOURCE_CACHE_SECONDS', doc: 'How long the times of a calendar elsewhere are kept, s' })
  @IsInt()
  @Min(0)
  sourceCacheSeconds = 300;

  @Setting({ env: 'FREEBUSY_SOURCE_RETRY_SECONDS', doc: 'How long a calendar elsewhere that is down is left alone, s' })
  @IsInt()
  @Min(0)
  sourceRetrySeconds = 30;

  @Setting({ env: 'FREEBUSY_SOURCE_CACHE_ENTRIES', doc: 'Most calendars elsewhere that are kept' })
  @IsInt()
  @Min(1)
  sourceCacheEntries = 200;

  @Setting({ env: 'FREEBUSY_SOURCE_ALLOW_PLAIN', doc: 'Fetch calendars elsewhere without TLS too', type: 'boolean' })
  sourceAllowPlain = false;
}
