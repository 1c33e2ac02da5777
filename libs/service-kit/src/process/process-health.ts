import type { Bus, EventBus } from '@groupware/messaging';
import type { HealthSettings } from '../config/health-settings';
import type { ProcessSettings } from '../config/process-settings';
import { HealthChecks } from '../health/health-checks';
import { fullHeap, Liveness } from '../health/liveness';
import type { ProbeSettings } from '../health/probe-settings';
import { createDiskCheck, createEventLoopCheck } from '../health/process-checks';
import type { Closers } from './closers';

/** A heap beyond this share of its limit, looks in a row: what a burst of calls needs is free again by then. */
const HEAP_SHARE = 0.95;
const HEAP_LOOKS = 6;
const BYTES_PER_MB = 1024 * 1024;

/** Checks that the probes of a process answer from; services add those of what they depend on. */
export interface ProcessHealth {
  readonly checks: HealthChecks;
  readonly liveness: Liveness;
}

/** Makes the checks of the bus, the event loop and the disk. */
export function createProcessHealth(
  { bus, events }: { readonly bus: Bus; readonly events: EventBus },
  { process, health, probe }: { process: ProcessSettings; health: HealthSettings; probe: ProbeSettings },
  closers: Closers,
): ProcessHealth {
  const checks = new HealthChecks(health, () => probe.skip);
  closers.add(() => checks.stop());
  const liveness = new Liveness();
  closers.add(() => liveness.stop());
  liveness.addState('nats', () => (bus.isClosed ? 'the connection is closed for good' : undefined));
  liveness.addState('heap', fullHeap(HEAP_SHARE), HEAP_LOOKS);
  checks.addCheck('nats', {
    isRequired: true,
    check: async () => {
      if (!bus.isConnected) throw new Error('not connected');
      await bus.flush();
    },
  });
  checks.addCheck('jetstream', () => events.ping());
  const eventLoop = createEventLoopCheck(process.healthMaxLagMs);
  closers.add(() => eventLoop.stop());
  checks.addCheck('event-loop', { isRequired: true, check: eventLoop.check });
  checks.addCheck('disk', createDiskCheck(process.dataDir, process.healthMinDiskMb * BYTES_PER_MB));
  return { checks, liveness };
}
