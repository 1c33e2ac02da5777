import type { EventBus } from '@groupware/messaging';
import { ModuleRef } from '@nestjs/core';
import { setTimeout as pause } from 'node:timers/promises';
import type { ListenerSettings } from '../config/listener-settings';
import type { ProcessSettings } from '../config/process-settings';
import type { Configuration } from '../configuration/open-configuration';
import type { HealthChecks } from '../health/health-checks';
import type { Listener } from '../listener';
import { Logger } from '../log/logger';
import type { Started } from '../start-service';
import { attempt, type Closers } from './closers';

const log = Logger.for('process');

/** A running process. */
export interface RunningServices {
  readonly publicUrl?: string;
  readonly internalUrl: string;
  readonly settings: ProcessSettings;
  /** Reads the files of the configuration again. */
  reload(): Promise<void>;
  /**
   * Shutdown behind a balancer: /ready fails at once, requests are served for a pause as before, then answers close their
   * connections, and at last comes {@link close}. Clients that keep their connections see none of them reset.
   */
  leave(): Promise<void>;
  /** Ordered shutdown without that pause; loses no running call. */
  close(): Promise<void>;
}

/** Parts of a process, in the order of its end. */
interface OpenParts {
  readonly settings: ProcessSettings;
  readonly limits: ListenerSettings;
  readonly configuration: Configuration;
  readonly checks: HealthChecks;
  readonly publicListener?: Listener;
  readonly internalListener: Listener;
  readonly services: readonly Started[];
  readonly events: EventBus;
  /** Of everything below the services. */
  readonly closers: Closers;
}

/** A process whose services have started, until it ends; each way to end it is gone once. */
export class RunningProcess implements RunningServices {
  readonly settings: ProcessSettings;
  readonly publicUrl?: string;
  readonly internalUrl: string;
  private draining?: Promise<void>;
  private leaving?: Promise<void>;
  private closing?: Promise<void>;

  constructor(private readonly parts: OpenParts) {
    this.settings = parts.settings;
    this.publicUrl = parts.publicListener?.url;
    this.internalUrl = parts.internalListener.url;
  }

  reload(): Promise<void> {
    return this.parts.configuration.files.reload();
  }

  leave(): Promise<void> {
    return (this.leaving ??= this.leaveBalancer());
  }

  close(): Promise<void> {
    return (this.closing ??= this.shutDown());
  }

  private async leaveBalancer(): Promise<void> {
    const { checks, limits, publicListener } = this.parts;
    checks.ready = false;
    if (publicListener) {
      log.info({ ms: limits.leavePauseMs }, 'leaving: balancers may notice');
      await pause(limits.leavePauseMs);
      await this.drain();
      await pause(limits.leaveLingerMs);
    }
    await this.close();
  }

  private drain(): Promise<void> {
    return (this.draining ??= this.drainConnections());
  }

  private async drainConnections(): Promise<void> {
    const { publicListener, services } = this.parts;
    publicListener?.drain();
    for (const { definition, app } of services) await attempt(() => definition.beforeDrain?.(app.get(ModuleRef)));
  }

  private async shutDown(): Promise<void> {
    const { settings, checks, publicListener, internalListener, services, events, closers } = this.parts;
    checks.ready = false;
    const deadline = setTimeout(() => {
      log.error({}, 'shutdown took too long');
      process.exit(1);
    }, settings.shutdownMs);
    deadline.unref();
    await this.drain();
    await attempt(() => publicListener?.close());
    await attempt(() => events.close());
    await Promise.all(services.map(({ server }) => attempt(() => server.close())));
    for (const { definition, app } of services) await attempt(() => definition.beforeClose?.(app.get(ModuleRef)));
    await Promise.all(services.map(({ relay }) => attempt(() => relay?.stop())));
    await Promise.all(services.map(({ app }) => attempt(() => app.close())));
    await attempt(() => internalListener.close());
    await closers.closeAll();
    clearTimeout(deadline);
  }
}
