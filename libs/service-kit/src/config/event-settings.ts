import type { EventStreamSettings } from '@groupware/messaging';
import { IsIn, IsInt, Max, Min } from 'class-validator';
import { Setting } from './setting';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/**
 * Settings of the JetStream event stream. The same for all processes; the stream takes changes over at the next start.
 */
export class EventSettings implements EventStreamSettings {
  @Setting({ env: 'EVENTS_REPLICAS', doc: 'Servers of a NATS cluster that hold a copy of the events each: 1, 3 or 5' })
  @IsIn([1, 3, 5])
  replicas = 1;

  @Setting({ env: 'EVENTS_MAX_BYTES', doc: 'Most room for events, bytes; -1: as much as the NATS server has' })
  @IsInt()
  @Min(-1)
  maxBytes = -1;

  @Setting({
    env: 'EVENTS_MAX_AGE_MS',
    doc: 'Events are kept so long for services that are away, ms; notes about consumed ones are kept a day longer',
  })
  @IsInt()
  @Min(10 * MINUTE_MS)
  @Max(90 * DAY_MS)
  maxAgeMs = 7 * DAY_MS;

  @Setting({ env: 'EVENTS_STORAGE', doc: 'file or memory; cannot be changed for a stream that exists' })
  @IsIn(['file', 'memory'])
  storage: 'file' | 'memory' = 'file';

  @Setting({
    env: 'EVENTS_DISCARD',
    doc: 'At EVENTS_MAX_BYTES: old events go (old), or new ones wait in the outbox until there is room (new)',
  })
  @IsIn(['old', 'new'])
  discard: 'old' | 'new' = 'old';

  @Setting({
    env: 'EVENTS_DUPLICATE_WINDOW_MS',
    doc: 'An event that is sent twice within this time is stored once, ms; at most EVENTS_MAX_AGE_MS',
  })
  @IsInt()
  @Min(1_000)
  @Max(10 * MINUTE_MS)
  duplicateWindowMs = 2 * MINUTE_MS;

  @Setting({
    env: 'EVENTS_CHECK_MS',
    doc: 'Pause between looks whether JetStream lost its events or came back from a backup, ms',
  })
  @IsInt()
  @Min(100)
  @Max(10 * MINUTE_MS)
  checkMs = 2_000;

  @Setting({
    env: 'EVENTS_RESEND_WINDOW_MS',
    doc: 'Confirmed events are kept so long in Postgres, to be sent again when JetStream loses them, ms; 0: not at all',
  })
  @IsInt()
  @Min(0)
  @Max(7 * DAY_MS)
  resendWindowMs = 10 * MINUTE_MS;

  @Setting({
    env: 'EVENTS_LANES',
    doc: 'Contexts whose events a consumer of many events, such as push, handles at the same time; each takes a connection of the pool',
  })
  @IsInt()
  @Min(1)
  @Max(100)
  lanes = 4;

  @Setting({ env: 'EVENTS_BATCH', doc: 'Most events of a context that such a consumer handles in one transaction' })
  @IsInt()
  @Min(1)
  @Max(1_000)
  batchSize = 200;

  /** Notes about consumed events must outlive the events: a repetition would take effect again. */
  get keepConsumedMs(): number {
    return Math.max(this.maxAgeMs, this.resendWindowMs) + DAY_MS;
  }
}
