import { IsInt, Max, Min } from 'class-validator';
import { Setting } from './setting';

/** Limits of the HTTP listeners. Each listener counts for itself: what clients do to the public one costs the internal one nothing. */
export class ListenerSettings {
  @Setting({
    env: 'HTTP_HEADERS_TIMEOUT_MS',
    doc: 'Longest time until the head of a request is complete, from the opening of the connection or the first byte, ms; then HTTP 408',
  })
  @IsInt()
  @Min(1)
  headersTimeoutMs = 20_000;

  @Setting({
    env: 'HTTP_REQUEST_TIMEOUT_MS',
    doc: 'Longest time until a request with its body is complete, ms; then HTTP 408',
  })
  @IsInt()
  @Min(1)
  requestTimeoutMs = 900_000;

  @Setting({
    env: 'HTTP_KEEP_ALIVE_MS',
    doc: 'A connection without a request is closed after so long, ms; longer than the balancer in front keeps its own',
  })
  @IsInt()
  @Min(1)
  keepAliveMs = 65_000;

  @Setting({
    env: 'HTTP_STALL_MS',
    doc: 'A client that for so long sends its body, or reads its answer, slower than HTTP_MIN_BYTES_PER_SECOND loses its connection, ms',
  })
  @IsInt()
  @Min(1)
  stallMs = 20_000;

  @Setting({
    env: 'HTTP_MIN_BYTES_PER_SECOND',
    doc: 'Least bytes a second of a body on its way; only time in which the client is waited for counts',
  })
  @IsInt()
  @Min(1)
  minBytesPerSecond = 1_000;

  @Setting({ env: 'HTTP_MAX_HEADER_BYTES', doc: 'Largest head of a request, bytes; larger ones get HTTP 431' })
  @IsInt()
  @Min(1024)
  @Max(1_048_576)
  maxHeaderBytes = 16_384;

  @Setting({ env: 'HTTP_MAX_HEADERS', doc: 'Most header lines of a request; more get HTTP 431' })
  @IsInt()
  @Min(1)
  maxHeaders = 100;

  @Setting({
    env: 'HTTP_MAX_PIPELINED',
    doc: 'Most requests of a connection that wait for the answers before theirs; one that sends more is closed',
  })
  @IsInt()
  @Min(1)
  maxPipelined = 1_000;

  @Setting({
    env: 'HTTP_MAX_CONNECTIONS',
    doc: 'Most open connections of a listener, streams included. When they are used up the connection that had no request for longest is closed for a new one; without such, the new one is refused',
  })
  @IsInt()
  @Min(1)
  maxConnections = 20_000;

  @Setting({
    env: 'HTTP_MAX_CONNECTIONS_PER_ADDRESS',
    doc: 'The same for the connections of one address (IPv6: one network of 64 bits); trusted proxies have no limit of their own',
  })
  @IsInt()
  @Min(1)
  maxConnectionsPerAddress = 5_000;

  @Setting({
    env: 'GROUPWARE_LEAVE_PAUSE_MS',
    doc: 'Pause between SIGTERM, which makes /ready fail, and the shutdown of the public listener: time for balancers to notice, ms',
  })
  @IsInt()
  @Min(0)
  @Max(600_000)
  leavePauseMs = 5_000;

  @Setting({
    env: 'GROUPWARE_LEAVE_LINGER_MS',
    doc: 'After that pause every answer closes its connection; connections without a request are closed only after so long, ms',
  })
  @IsInt()
  @Min(0)
  @Max(600_000)
  leaveLingerMs = 2_000;
}
