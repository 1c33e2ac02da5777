import { currentAccessRecord, type Principal, type Tenant } from '@groupware/contracts';
import {
  Bus,
  Caller,
  EventBus,
  ModuleServer,
  type KeptReply,
  type ReplyStore,
  type StreamGeneration,
} from '@groupware/messaging';
import { ModuleDatabase, OutboxRelay, ShardRegistry, type MigrationSettings } from '@groupware/persistence';
import {
  Catch,
  Module,
  type DynamicModule,
  type INestMicroservice,
  type Provider,
  type RpcExceptionFilter,
} from '@nestjs/common';
import { ModuleRef, NestFactory } from '@nestjs/core';
import { throwError, type Observable } from 'rxjs';
import { reportCall } from './call-log';
import { Clock } from './clock';
import { EventSettings } from './config/event-settings';
import { ProcessSettings } from './config/process-settings';
import { ClientAddresses } from './http/client-address';
import type { SettingsClass } from './config/setting';
import { ConfigurationFiles } from './configuration/configuration-files';
import type { Configuration } from './configuration/open-configuration';
import { ServerValues } from './configuration/server-values';
import type { ServiceDefinition } from './define-service';
import { HealthSettings } from './config/health-settings';
import { HealthChecks, PartlyDown } from './health/health-checks';
import { stuckPools, type Liveness } from './health/liveness';
import { inspectCall, inspectResult } from './inspect';
import { pauseAfterTurn } from './event-loop';
import { callKey, Logger, showsStack } from './log/logger';
import { registerLoad } from './load-metrics';
import { Periodic } from './periodic';
import { AnnouncedCapabilities } from './announced-capabilities';
import { Properties } from './properties';
import { runCall } from './run-call';
import type { ServiceParts } from './scan';
import { VERSION } from './version';

const log = Logger.for('process');

/** Pause before lost events are looked for again where that failed, ms. */
const RESEND_RETRY_MS = 5_000;

/** Looks that find a pool stuck, in a row: twice as long as a statement may take. */
const STUCK_LOOKS = 12;
/** How often a service looks whether it can take calls. */
const PRESENCE_EVERY_MS = 2_000;
/** Longer than connections that fell silent take to be replaced. */
const PRESENCE_TIMEOUT_MS = 4_000;

/** Passes our errors on; Nest's own filter would hide their codes. */
@Catch()
class PassErrors implements RpcExceptionFilter {
  catch(exception: unknown): Observable<never> {
    return throwError(() => exception);
  }
}

@Module({})
class ServiceModule {}

@Module({})
class SharedModule {}

/** A service whose parts were found. */
export interface Loaded {
  readonly definition: ServiceDefinition;
  readonly parts: ServiceParts;
}

/**
 * Has confirmed events sent again whenever the broker may have lost them, also while this process was not there. Returns the
 * way to stop that.
 */
function resendLostEvents(
  relay: OutboxRelay,
  events: EventBus,
  problem: ServiceEnvironment['problem'],
): () => Promise<void> {
  const resend = async ({ id, kept }: StreamGeneration): Promise<void> => {
    const count = await relay.resend(id, kept && { generation: kept.id, seq: kept.lastSeq });
    if (count > 0) log.warn({ count }, 'events that the broker may have lost are sent again');
  };
  // One after the other, also where the stream changes meanwhile.
  let last = Promise.resolve();
  let retry: NodeJS.Timeout | undefined;
  const follow = (work: () => Promise<void>): void => {
    clearTimeout(retry);
    last = last.then(work).catch((error: unknown) => {
      problem('lost events could not be sent again', error);
      retry = setTimeout(() => follow(work), RESEND_RETRY_MS).unref();
    });
  };
  const stop = events.onGeneration(() => follow(() => resend(events.generation)));
  follow(async () => {
    for (const receipt of await relay.receipts()) await events.rememberReceipt(receipt);
    await resend(events.generation);
  });
  return async () => {
    stop();
    await last;
    clearTimeout(retry);
  };
}

/** A service that answers calls. */
export interface Started extends Loaded {
  readonly app: INestMicroservice;
  readonly server: ModuleServer;
  readonly database?: ModuleDatabase;
  readonly relay?: OutboxRelay;
}

/** Resources shared by the services of a process. */
export interface ServiceEnvironment {
  readonly settings: ProcessSettings;
  readonly addresses: ClientAddresses;
  readonly instances: ReadonlyMap<SettingsClass, object>;
  readonly configuration: Configuration;
  readonly bus: Bus;
  readonly events: EventBus;
  readonly eventSettings: EventSettings;
  readonly caller: Caller;
  readonly registry?: ShardRegistry;
  readonly migration: MigrationSettings;
  readonly checks: HealthChecks;
  readonly liveness: Liveness;
  readonly closers: (() => Promise<unknown>)[];
  readonly problem: (what: string, error: unknown) => void;
}

/** Opens the database of a service, answers its calls and sends its events. */
export async function startService(entry: Loaded, environment: ServiceEnvironment): Promise<Started> {
  const { definition, parts } = entry;
  const { settings, bus, events, checks, closers, problem } = environment;
  const { timeoutMs, sampleMs } = environment.instances.get(HealthSettings) as HealthSettings;
  // Less than the whole check may take, so that one shard that hangs does not hide the others.
  const shardTimeoutMs = timeoutMs * 0.75;
  const caller = environment.caller.forService(definition);
  let database: ModuleDatabase | undefined;
  if (definition.migrations && environment.registry) {
    const opened = await ModuleDatabase.open({
      module: definition.name,
      registry: environment.registry,
      settings: {
        url: settings.databaseUrl.reveal(),
        poolSize: settings.databasePoolSize,
        readConnections: settings.databaseReadConnections,
        pooler: settings.databasePooler,
      },
      migrations: definition.migrations,
      migration: environment.migration,
      onDefaultShard: definition.onDefaultShard,
      callKey,
      access: currentAccessRecord,
      inspect: settings.inspect,
      onProblem: problem,
    });
    database = opened;
    closers.push(() => opened.close());
    environment.liveness.addState(
      `pool-${definition.name}`,
      stuckPools(() => opened.load),
      STUCK_LOOKS,
    );
    checks.addCheck(`postgres-${definition.name}`, {
      isRequired: true,
      check: () => checkDatabase(opened, shardTimeoutMs),
    });
  }
  const properties = new Properties(caller, environment.configuration.values, definition.name);
  properties.subscribe(events);
  const shared: Provider[] = [
    { provide: Bus, useValue: bus },
    { provide: EventBus, useValue: events },
    { provide: Caller, useValue: caller },
    { provide: Properties, useValue: properties },
    { provide: AnnouncedCapabilities, useValue: new AnnouncedCapabilities(properties) },
    { provide: ServerValues, useValue: environment.configuration.values },
    { provide: ConfigurationFiles, useValue: environment.configuration.files },
    { provide: HealthChecks, useValue: checks },
    { provide: ProcessSettings, useValue: settings },
    { provide: ClientAddresses, useValue: environment.addresses },
    Clock,
    ...(database ? [{ provide: ModuleDatabase, useValue: database }] : []),
    ...(environment.registry ? [{ provide: ShardRegistry, useValue: environment.registry }] : []),
    ...[...environment.instances]
      .filter(([type]) => type !== ProcessSettings)
      .map(([type, value]) => ({ provide: type, useValue: value })),
    { provide: 'VERSION', useValue: VERSION },
  ];
  const root: DynamicModule = {
    module: ServiceModule,
    imports: [
      { module: SharedModule, global: true, providers: shared, exports: shared.map(toToken) },
      ...(definition.imports ?? []),
    ],
    controllers: [...parts.handlers],
    providers: [...(definition.providers ?? []), ...parts.consumers],
  };
  const server = new ModuleServer({
    bus,
    service: definition.name,
    operations: parts.operations,
    observe: reportCall,
    maxRunning: settings.maxCalls,
    pause: pauseAfterTurn,
    within: runCall,
    showsStack,
    ...(database ? { replies: repliesIn(database, problem) } : {}),
    keyLifetimeMs: settings.idempotencyKeyLifetimeMs,
    ...(settings.inspect ? { inspect: { call: inspectCall, result: inspectResult } } : {}),
  });
  const app = await NestFactory.createMicroservice(root, {
    strategy: server,
    logger: ['error', 'warn'],
    abortOnError: false,
  });
  app.useGlobalFilters(new PassErrors());
  server.useClaims(definition.claims?.(app.get(ModuleRef)));
  await app.listen();
  for (const [name, check] of Object.entries(definition.checks?.(app.get(ModuleRef)) ?? {}))
    checks.addCheck(name, check);
  let relay: OutboxRelay | undefined;
  if (database) {
    relay = new OutboxRelay({
      database,
      publish: (message) => events.publish(message),
      keepSentMs: environment.eventSettings.resendWindowMs,
      keepConsumedMs: environment.eventSettings.keepConsumedMs,
      onProblem: problem,
    });
    closers.push(resendLostEvents(relay, events, problem));
    relay.start();
    const presence = new Presence(server, database);
    const presenceReviews = new Periodic(
      () => presence.reviewPresence(),
      (error) => problem('the presence on the bus was not changed', error),
    );
    presenceReviews.start(PRESENCE_EVERY_MS);
    closers.push(() => presenceReviews.stop());
  }
  checks.addCheck(`module-${definition.name}`, {
    isRequired: true,
    // Half of the check's own time: when a ping is lost, heartbeats tell within the other half.
    check: () => bus.ping(definition.name, timeoutMs / 2),
  });
  const hide = registerLoad({
    module: definition.name,
    calls: () => server.load,
    connections: database && (() => database.load),
    outbox: relay && (() => relay.waiting()),
    backlog: () => events.backlog(definition.name),
    sampleMs,
  });
  closers.push(() => hide());
  return { ...entry, app, server, database, relay };
}

/**
 * Takes a service out of its queue group while it does not reach its database: others get its calls, and where there are none
 * callers hear so at once.
 */
class Presence {
  private failures = 0;

  constructor(
    private readonly server: ModuleServer,
    private readonly database: ModuleDatabase,
  ) {}

  /** Looks once. */
  async reviewPresence(): Promise<void> {
    const failed = await this.database.ping(PRESENCE_TIMEOUT_MS).then(
      () => false,
      () => true,
    );
    this.failures = failed ? this.failures + 1 : 0;
    // A single failure may be a full pool.
    if (this.failures === 0) await this.server.join();
    else if (this.failures > 1) await this.server.leave();
  }
}

/** Keeps replies to calls with keys where the effects of the calls are. */
function repliesIn(database: ModuleDatabase, problem: ServiceEnvironment['problem']): ReplyStore {
  const tenantOf = (principal: Principal): Tenant | undefined =>
    'contextId' in principal && principal.contextId ? { contextId: principal.contextId } : undefined;
  return {
    find: async (key, principal) =>
      (await database.findReply(tenantOf(principal), key))?.value as KeptReply | undefined,
    // Its effects stay, and tell what to answer when it comes again.
    keep: (key, principal, reply) =>
      database
        .keepReply(tenantOf(principal), key, reply)
        .catch((error: unknown) => problem('the reply to a call was not kept', error)),
    isDone: (key, principal) => database.isDone(tenantOf(principal), key),
  };
}

/** One unavailable shard does not take the others out of service. */
async function checkDatabase(database: ModuleDatabase, shardTimeoutMs: number): Promise<void> {
  const failed = await database.ping(shardTimeoutMs);
  if (failed.length > 0) throw new PartlyDown(`no answer of the shards ${failed.join(', ')}`);
}

const toToken = (provider: Provider) => (typeof provider === 'function' ? provider : provider.provide);
