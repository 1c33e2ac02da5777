import { Setting } from '@groupware/service-kit';
import { IsInt, Max, Min } from 'class-validator';

/** Settings of streams: connections on which clients are told what happened. */
export class StreamSettings {
  @Setting({ env: 'GATEWAY_STREAMS_MAX', doc: 'Most open streams (event streams and WebSockets) in one process' })
  @IsInt()
  @Min(0)
  max = 10_000;

  @Setting({ env: 'GATEWAY_STREAMS_PER_USER', doc: 'Most open streams of one user in one process' })
  @IsInt()
  @Min(1)
  perUser = 20;

  @Setting({ env: 'GATEWAY_STREAMS_PER_ADDRESS', doc: 'Most open streams of one client address in one process' })
  @IsInt()
  @Min(1)
  perAddress = 1_000;

  @Setting({ env: 'GATEWAY_STREAM_HEARTBEAT_MS', doc: 'Every so often an idle stream gets a sign of life, ms' })
  @IsInt()
  @Min(100)
  @Max(600_000)
  heartbeatMs = 25_000;

  @Setting({
    env: 'GATEWAY_STREAM_CHECK_MS',
    doc: 'Every so often the sessions of streams and the positions of their users are compared with the stores, ms',
  })
  @IsInt()
  @Min(100)
  @Max(600_000)
  checkMs = 20_000;

  @Setting({
    env: 'GATEWAY_STREAM_MAX_BUFFER_BYTES',
    doc: 'A client that has so much waiting for it is dropped; it comes back and resumes, bytes',
  })
  @IsInt()
  @Min(1024)
  maxBufferBytes = 262_144;
}
