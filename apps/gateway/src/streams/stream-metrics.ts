import { Counter, Gauge, Histogram } from 'prom-client';

/** How streams are carried. */
export type StreamTransport = 'sse' | 'websocket';

const open = new Gauge({
  name: 'groupware_push_streams',
  help: 'Open streams of this process',
  labelNames: ['transport'],
});
const sent = new Counter({
  name: 'groupware_push_notices_sent_total',
  help: 'Notices written to streams',
  labelNames: ['transport'],
});
const ended = new Counter({
  name: 'groupware_push_streams_ended_total',
  help: 'Streams that ended, by reason',
  labelNames: ['reason'],
});
const resyncs = new Counter({ name: 'groupware_push_resyncs_total', help: 'Streams told that notices were lost' });
const lag = new Histogram({
  name: 'groupware_push_lag_seconds',
  help: 'Time from the commit of a notice until it was written to a stream that was there',
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
});

/** Why a stream ended. */
export type EndReason = 'client' | 'slow' | 'session' | 'shutdown';

/** Numbers about streams. */
export const streamMetrics = {
  opened: (transport: StreamTransport): void => open.inc({ transport }),
  closed: (transport: StreamTransport, reason: EndReason): void => {
    open.dec({ transport });
    ended.inc({ reason });
  },
  sent: (transport: StreamTransport): void => sent.inc({ transport }),
  lag: (milliseconds: number): void => lag.observe(Math.max(0, milliseconds) / 1000),
  resync: (): void => resyncs.inc(),
};
