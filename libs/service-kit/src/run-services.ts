import 'reflect-metadata';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Bus, Caller, EventBus, foreseen, ModuleServer, type CallOutcome } from '@groupware/messaging';
import { consumeOnce, ModuleDatabase, OutboxRelay, ShardRegistry } from '@groupware/persistence';
import type { EventMessage } from '@groupware/contracts';
import {
  Catch,
  Module,
  type DynamicModule,
  type INestMicroservice,
  type Provider,
  type RpcExceptionFilter,
  type Type,
} from '@nestjs/common';
import { ModuleRef, NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import { TerminusModule } from '@nestjs/terminus';
import express, { type Express } from 'express';
import { throwError, type Observable } from 'rxjs';
import { Clock } from './clock';
import { ProcessSettings } from './config/process-settings';
import { BadSettings, loadSettings, type SettingsClass } from './config/setting';
import { eventOf, type Consumer, type ServiceDefinition } from './define-service';
import { HealthChecks } from './health/health-checks';
import { HealthController } from './health/health.controller';
import { inspectCall, inspectResult } from './inspect';
import { Logger, setLogLevel, surroundings, withLabels } from './log/logger';
import { collectProcessMetrics, countCall } from './metrics';
import { badServerValues, Properties, readPropertiesFile } from './properties';
import { scan, type ServiceParts } from './scan';

/** Version of the product, shown by /health and REST errors. */
export const VERSION = '0.1.0';

/** A running process. */
export interface RunningServices {
  readonly publicUrl?: string;
  readonly internalUrl: string;
  readonly settings: ProcessSettings;
  /** Ordered shutdown; loses no running call. */
  close(): Promise<void>;
}

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
class ListenerModule {}

interface Loaded {
  readonly definition: ServiceDefinition;
  readonly parts: ServiceParts;
}

interface Started extends Loaded {
  readonly app: INestMicroservice;
  readonly server: ModuleServer;
  readonly database?: ModuleDatabase;
  readonly relay?: OutboxRelay;
}

const log = Logger.for('process');
const callLog = Logger.for('call');

/** Writes one line for an operation; the detail of an unforeseen error stays here, under its id. */
function report(outcome: CallOutcome): void {
  countCall(outcome);
  const { operation, principal, requestId, code, durationMs, error } = outcome;
  // The access log of the gateway has a line for each success already.
  if (!error && !callLog.isEnabled('debug')) return;
  const fields = {
    requestId,
    module: operation.module,
    action: operation.name,
    ...('contextId' in principal ? { context: principal.contextId } : {}),
    ...('userId' in principal ? { user: principal.userId } : {}),
    code,
    durationMs: Math.round(durationMs * 100) / 100,
    ...(error ? { errorId: error.errorId } : {}),
  };
  const cause = error?.details.cause;
  if (error && error.entry.category === 'ERROR')
    callLog.error(
      { ...fields, cause: cause instanceof Error ? cause.stack : cause, stack: error.stack },
      error.message,
    );
  else if (cause) callLog.warn({ ...fields, cause: cause instanceof Error ? cause.message : cause });
  else if (error) callLog.info(fields);
  else callLog.debug(fields);
}

function load(definitions: readonly ServiceDefinition[]): { loaded: Loaded[]; problems: string[] } {
  const problems: string[] = [];
  const loaded = definitions.map((definition) => {
    const result = scan(definition);
    problems.push(...result.problems);
    return { definition, parts: result.parts };
  });
  return { loaded, problems };
}

const classesOf = (config: ServiceDefinition['config']): readonly SettingsClass[] =>
  config === undefined ? [] : Array.isArray(config) ? (config as SettingsClass[]) : [config as SettingsClass];

/**
 * Starts services in this process.
 * @throws BadSettings with all problems at once; an error that names missing or double handlers; whatever keeps a
 * dependency from being reached. What was started before is stopped again.
 */
export async function runServices(
  definitions: readonly ServiceDefinition[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<RunningServices> {
  const { loaded, problems } = load(definitions);
  if (problems.length > 0) throw new Error(`The services do not fit their contracts:\n  ${problems.join('\n  ')}`);
  const { instances } = loadSettings(
    [ProcessSettings, ...definitions.flatMap(({ config }) => classesOf(config))],
    environment.NODE_ENV === 'test' ? { GROUPWARE_TEST: 'true', ...environment } : environment,
  );
  const settings = instances.get(ProcessSettings) as ProcessSettings;
  const serverValues = settings.propertiesFile ? readPropertiesFile(settings.propertiesFile) : {};
  const badValues = badServerValues(serverValues);
  if (badValues.length > 0) throw new BadSettings(badValues);
  setLogLevel(settings.logLevel);
  collectProcessMetrics();

  const closers: (() => Promise<unknown>)[] = [];
  const closeAll = async () => {
    for (const close of closers.splice(0).reverse())
      await close().catch((error: unknown) => log.warn({ error: String(error) }, 'while closing'));
  };
  try {
    return await start(loaded, settings, instances, serverValues, closers, closeAll);
  } catch (error) {
    await closeAll();
    throw error;
  }
}

async function start(
  loaded: readonly Loaded[],
  settings: ProcessSettings,
  instances: ReadonlyMap<SettingsClass, object>,
  serverValues: Readonly<Record<string, string>>,
  closers: (() => Promise<unknown>)[],
  closeAll: () => Promise<void>,
): Promise<RunningServices> {
  const problem = (what: string, error: unknown) => log.warn({ error: describe(error) }, what);
  const bus = await Bus.connect({
    url: settings.natsUrl.reveal(),
    prefix: settings.busPrefix,
    name: `groupware ${loaded.map(({ definition }) => definition.name).join(',')}`,
    onStatus: (status, detail) => log.warn({ detail }, `bus ${status}`),
  });
  closers.push(() => bus.close());
  const events = new EventBus(bus, (error, what) => problem(what, error));
  await events.open();
  const caller = new Caller(bus, surroundings);
  const checks = new HealthChecks();
  checks.add('nats', async () => {
    if (!bus.isConnected) throw new Error('not connected');
    await bus.flush();
  });

  let registry: ShardRegistry | undefined;
  if (loaded.some(({ definition }) => definition.migrations)) {
    const opened = await ShardRegistry.open({ url: settings.databaseUrl.reveal() });
    registry = opened;
    closers.push(() => opened.close());
  }

  const listeners = { public: bareExpress(), internal: bareExpress() };
  const started: Started[] = [];
  for (const entry of loaded)
    started.push(
      await startService(entry, {
        settings,
        instances,
        serverValues,
        bus,
        events,
        caller,
        registry,
        checks,
        closers,
        problem,
      }),
    );

  const publicWanted = loaded.some(({ definition }) => definition.http);
  for (const { definition, app } of started) await definition.http?.(listeners, app.get(ModuleRef));
  const internal = await listen(
    listeners.internal,
    [HealthController],
    [
      { provide: HealthChecks, useValue: checks },
      { provide: ProcessSettings, useValue: settings },
      { provide: 'VERSION', useValue: VERSION },
    ],
    settings.internalPort,
    settings.internalHost,
    'INTERNAL_PORT',
  );
  const publicListener = publicWanted
    ? await listen(listeners.public, [], [], settings.port, settings.publicHost, 'PORT')
    : undefined;

  // Consumers come last: they may call services of this process.
  for (const { definition, parts, app, database } of started) {
    // A service takes each event once; all its consumers of the event get it, and each notes by itself that it did.
    for (const event of new Set(parts.consumers.map((type) => eventOf(type)!))) {
      const consumers = parts.consumers
        .filter((type) => eventOf(type) === event)
        .map((type) => app.get<Consumer<unknown>>(type));
      await events.subscribe(definition.name, event, async (message) => {
        for (const consumer of consumers) await consume(definition.name, consumer, message, database);
      });
    }
  }
  checks.ready = true;
  for (const { definition, app } of started) await definition.afterStart?.(app.get(ModuleRef));

  let closing: Promise<void> | undefined;
  const close = async () => {
    checks.ready = false;
    const deadline = setTimeout(() => {
      log.error({}, 'shutdown took too long');
      process.exit(1);
    }, settings.shutdownMs);
    deadline.unref();
    // One step that fails must not keep the others from happening.
    const step = (work: Promise<unknown> | undefined) =>
      work?.catch((error: unknown) => problem('while closing', error));
    await step(publicListener?.close());
    await step(events.close());
    await Promise.all(started.map(({ server }) => step(server.close())));
    for (const { definition, app } of started) await step((async () => definition.beforeClose?.(app.get(ModuleRef)))());
    await Promise.all(started.map(({ relay }) => step(relay?.stop())));
    await Promise.all(started.map(({ app }) => step(app.close())));
    await step(internal.close());
    await closeAll();
    clearTimeout(deadline);
  };
  return {
    publicUrl: publicListener?.url,
    internalUrl: internal.url,
    settings,
    close: () => (closing ??= close()),
  };
}

interface ServiceEnvironment {
  readonly settings: ProcessSettings;
  readonly instances: ReadonlyMap<SettingsClass, object>;
  readonly serverValues: Readonly<Record<string, string>>;
  readonly bus: Bus;
  readonly events: EventBus;
  readonly caller: Caller;
  readonly registry?: ShardRegistry;
  readonly checks: HealthChecks;
  readonly closers: (() => Promise<unknown>)[];
  readonly problem: (what: string, error: unknown) => void;
}

async function startService(entry: Loaded, environment: ServiceEnvironment): Promise<Started> {
  const { definition, parts } = entry;
  const { settings, bus, events, caller, checks, closers, problem } = environment;
  let database: ModuleDatabase | undefined;
  if (definition.migrations && environment.registry) {
    const opened = await ModuleDatabase.open({
      module: definition.name,
      registry: environment.registry,
      settings: { url: settings.databaseUrl.reveal(), poolSize: settings.databasePoolSize },
      migrations: definition.migrations,
      onProblem: problem,
    });
    database = opened;
    closers.push(() => opened.close());
    checks.add(`postgres-${definition.name}`, () => opened.ping());
  }
  const properties = new Properties(caller, environment.serverValues, definition.name);
  properties.follow(events);
  const shared: Provider[] = [
    { provide: Bus, useValue: bus },
    { provide: EventBus, useValue: events },
    { provide: Caller, useValue: caller },
    { provide: Properties, useValue: properties },
    { provide: HealthChecks, useValue: checks },
    { provide: ProcessSettings, useValue: settings },
    Clock,
    ...(database ? [{ provide: ModuleDatabase, useValue: database }] : []),
    ...[...environment.instances]
      .filter(([type]) => type !== ProcessSettings)
      .map(([type, value]) => ({ provide: type, useValue: value })),
    { provide: 'VERSION', useValue: VERSION },
  ];
  const root: DynamicModule = {
    module: ServiceModule,
    imports: [
      { module: ListenerModule, global: true, providers: shared, exports: shared.map(tokenOf) },
      ...(definition.imports ?? []),
    ],
    controllers: [...parts.handlers],
    providers: [...(definition.providers ?? []), ...parts.consumers],
  };
  const server = new ModuleServer({
    bus,
    service: definition.name,
    operations: parts.operations,
    observe: report,
    maxRunning: settings.maxCalls,
    within: ({ requestId, operation, principal, trace, deadline }, run) =>
      withLabels(
        {
          requestId,
          module: operation.module,
          action: operation.name,
          ...('contextId' in principal ? { context: principal.contextId } : {}),
          ...('userId' in principal ? { user: principal.userId } : {}),
          ...(trace ? { trace } : {}),
        },
        run,
        deadline,
      ),
    ...(settings.inspect ? { inspect: { call: inspectCall, result: inspectResult } } : {}),
  });
  const app = await NestFactory.createMicroservice(root, {
    strategy: server,
    logger: ['error', 'warn'],
    abortOnError: false,
  });
  app.useGlobalFilters(new PassErrors());
  await app.listen();
  for (const [name, check] of Object.entries(definition.checks?.(app.get(ModuleRef)) ?? {})) checks.add(name, check);
  let relay: OutboxRelay | undefined;
  if (database) {
    relay = new OutboxRelay({ database, publish: (message) => events.publish(message), onProblem: problem });
    relay.start();
  }
  return { ...entry, app, server, database, relay };
}

const tokenOf = (provider: Provider) => (typeof provider === 'function' ? provider : provider.provide);

/** Runs a consumer once per event: the note about the event shares the transaction of its effect. */
async function consume(
  service: string,
  consumer: Consumer<unknown, unknown>,
  message: EventMessage,
  database: ModuleDatabase | undefined,
): Promise<void> {
  if (!database) throw new Error(`the service ${service} consumes events but has no database`);
  const requestId = `event ${message.id}`;
  try {
    await withLabels({ requestId, module: service, action: message.name, context: message.contextId }, async () => {
      const prepared = await consumer.prepare?.(message as never);
      await consumeOnce(database, `${service}.${consumer.constructor.name}`, message, (tx) =>
        consumer.handle(message as never, tx, prepared),
      );
    });
  } catch (error) {
    const known = foreseen(error);
    callLog.error({ requestId, event: message.name, errorId: known.errorId, error: describe(error) }, 'event failed');
    throw known;
  }
}

const describe = (error: unknown): string =>
  error instanceof Error
    ? error.cause instanceof Error
      ? `${error.message}: ${error.cause.message}`
      : error.message
    : String(error);

function bareExpress(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  return app;
}

/** Opens a listener. Its handlers run before Nest's own routes. */
async function listen(
  instance: Express,
  controllers: Type[],
  providers: Provider[],
  port: number,
  host: string,
  portName: string,
): Promise<{ url: string; close: () => Promise<void> }> {
  const module: DynamicModule = {
    module: ListenerModule,
    imports: controllers.length > 0 ? [TerminusModule.forRoot({ errorLogStyle: 'json', logger: false })] : [],
    controllers,
    providers,
  };
  const app = await NestFactory.create<NestExpressApplication>(module, new ExpressAdapter(instance), {
    bodyParser: false,
    logger: ['error', 'warn'],
    abortOnError: false,
  });
  await app.init();
  const server: http.Server = app.getHttpServer();
  server.keepAliveTimeout = 65_000;
  server.requestTimeout = 0;
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    await app.close();
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new Error(`${portName}: port ${port} on ${host} is taken`, { cause: error });
  }
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    url: `http://${name === '0.0.0.0' || name === '[::]' ? '127.0.0.1' : name}:${address.port}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      // Kept-alive connections close as soon as their answer is sent: a client that asks again must find another process.
      const idle = setInterval(() => server.closeIdleConnections(), 20);
      server.closeIdleConnections();
      await closed;
      clearInterval(idle);
      await app.close();
    },
  };
}
