import { SERVICE_LOGIN, SERVICE_PASSWORD } from '@groupware/contracts';
import { Caller, EventBus } from '@groupware/messaging';
import { FILES, fileStoreProvider, type FileStore } from '@groupware/file-store';
import {
  BasePathSettings,
  ConfigurationFiles,
  withLogScope,
  Logger,
  metrics,
  ClientAddresses,
  Properties,
  showsStack,
  VERSION,
  type BasicCredentials,
  type Listeners,
} from '@groupware/service-kit';
import { COOKIE_PREFIXES, toPrincipal, SessionGuard, SessionStore, sessionStoreProvider } from '@groupware/sessions';
import type { Provider } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import { userCheck } from './access/user-check';
import { administratorCheck } from './access/administrator-check';
import { GuardedSessions } from './access/session-gate';
import { buildEdge } from './build-edge';
import { ClientFiles } from './client-files/client-files';
import { ClientPages } from './client-files/client-pages';
import { Edge } from './edge/edge';
import { explorerRouter } from './explorer/explorer';
import { GatewayConfig } from './gateway.config';
import { JobRunner } from './jobs/jobs';
import { INCOMING_LEASE_MS } from './input/incoming-bytes';
import { warnOfInsecureCookies } from './output/cookies';
import { NewMailWatch } from './streams/new-mail-watch';
import { StreamHub } from './streams/stream-hub';
import { StreamSettings } from './streams/stream-settings';
import { Streams } from './streams/streams';

const log = Logger.for('gateway');

/** A job whose gateway was not heard for so long is lost, ms. */
const JOB_LEASE_MS = 15_000;
/** Pause between its signs of life, ms. */
const JOB_RENEWAL_MS = 1_000;
/** One address may fail at as many contexts, each to its limit, before all are closed to it. */
const TARGETS_PER_ADDRESS = 10;

/** Connections and the edge itself. */
export const gatewayProviders: readonly Provider[] = [
  sessionStoreProvider(log),
  fileStoreProvider,
  {
    provide: StreamHub,
    inject: [StreamSettings, SessionStore, Caller, EventBus],
    useFactory: (settings: StreamSettings, store: SessionStore, caller: Caller, events: EventBus) =>
      new StreamHub({
        caller,
        events,
        settings,
        newMails: new NewMailWatch(caller, (error) =>
          log.warn({ error: String(error) }, 'new mails of users are not listened for'),
        ),
        livesUntil: async (id) => {
          const session = await store.peek(id);
          return session && !toPrincipal(session).secondFactorPending ? session.expiresAt : undefined;
        },
        report: (error, what) => log.warn({ error: String(error) }, what),
      }),
  },
  {
    provide: JobRunner,
    inject: [GatewayConfig, SessionStore, Caller],
    useFactory: (config: GatewayConfig, store: SessionStore, caller: Caller) =>
      new JobRunner(
        store.jobTable({ leaseMs: JOB_LEASE_MS, keptMs: config.jobKeptMs, maxPerUser: config.maxJobsPerUser }),
        caller,
        {
          afterMs: config.jobAfterMs,
          deadlineMs: config.jobDeadlineMs,
          renewMs: JOB_RENEWAL_MS,
          maxAnswerBytes: config.maxJobAnswerBytes,
        },
        log,
      ),
  },
  {
    provide: ClientPages,
    inject: [GatewayConfig, ConfigurationFiles],
    useFactory: ({ clientDir, clientPath, clientPolicy, explorer }: GatewayConfig, files: ConfigurationFiles) =>
      new ClientPages({
        ...(clientDir === '' ? {} : { files: ClientFiles.open(clientDir, files) }),
        clientPath: clientPath.replace(/^\/*/, '/').replace(/(?<!\/)\/+$/, ''),
        policy: clientPolicy,
        hasExplorer: explorer,
      }),
  },
  {
    provide: Edge,
    inject: [
      GatewayConfig,
      BasePathSettings,
      ClientAddresses,
      SessionStore,
      FILES,
      Caller,
      Properties,
      StreamHub,
      ClientPages,
      JobRunner,
    ],
    useFactory: (
      config: GatewayConfig,
      base: BasePathSettings,
      addresses: ClientAddresses,
      store: SessionStore,
      files: FileStore,
      caller: Caller,
      properties: Properties,
      hub: StreamHub,
      pages: ClientPages,
      jobs: JobRunner,
    ) =>
      buildEdge({
        streams: new Streams(hub),
        jobs,
        addresses,
        settings: {
          ...config.edgeSettings({ basePaths: base.basePaths(), cookiePrefixes: COOKIE_PREFIXES }),
          limitOf: (property) => properties.serverValue(property),
          get service() {
            return servicePair(config, properties);
          },
          showsStack: (principal) => config.errorStacks || showsStack(principal),
        },
        caller,
        files,
        incoming: store.leasedQuota('incoming', INCOMING_LEASE_MS),
        sessions: new GuardedSessions(new SessionGuard(store), store, properties),
        logins: store.rateLimiter({ name: 'login-requests', points: config.loginsPerMinute, windowMs: 60_000 }),
        restAttempts: store.attemptLimiter({
          name: 'rest',
          limits: {
            target: { points: config.restFailuresPerMinute, windowMs: 60_000 },
            address: { points: TARGETS_PER_ADDRESS * config.restFailuresPerMinute, windowMs: 60_000 },
          },
        }),
        administrator: administratorCheck(caller),
        user: userCheck(caller),
        log,
        accessLog: Logger.for('gateway.access'),
        logFor: withLogScope,
        registry: metrics,
        version: VERSION,
        hasExplorer: config.explorer,
        hasPage: (request) => pages.has(request),
      }),
  },
];

/** The pair of cooperating services: properties, which can change while the process runs, before variables. */
function servicePair(config: GatewayConfig, properties: Properties): BasicCredentials {
  const login = properties.serverValue(SERVICE_LOGIN);
  const password = properties.serverValue(SERVICE_PASSWORD);
  return login || password ? { login, password } : { login: config.restLogin, password: config.restPassword.reveal() };
}

/** Mounts the edge on both listeners. */
export function mountGateway(listeners: Listeners, module: ModuleRef): void {
  const edge = module.get(Edge, { strict: false });
  const config = module.get(GatewayConfig, { strict: false });
  warnOfInsecureCookies(config.cookieSecure, module.get(ClientAddresses, { strict: false }).hasProxies, log);
  if (config.explorer) {
    const basePaths = module.get(BasePathSettings, { strict: false }).basePaths();
    listeners.public.use('/docs', explorerRouter({ basePaths, version: VERSION, listener: 'public' }));
    listeners.internal.use('/docs', explorerRouter({ basePaths, version: VERSION, listener: 'internal' }));
  }
  listeners.public.use(module.get(ClientPages, { strict: false }).router());
  listeners.answerBefore({ public: edge.handlePublic, internal: edge.handleInternal });
  listeners.onUpgrade(edge.handleUpgrade);
  module.get(StreamHub, { strict: false }).start();
}
