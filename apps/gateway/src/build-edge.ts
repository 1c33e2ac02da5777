import type { IncomingMessage } from 'node:http';
import type { Operation, Principal } from '@groupware/contracts';
import type { Registry } from 'prom-client';
import { ClientAddresses } from '@groupware/service-kit';
import { RestAccess } from './access/rest-access';
import { CallRunner } from './edge/call';
import { Edge } from './edge/edge';
import { FileSender } from './edge/file-sender';
import { ModuleCalls } from './edge/module-calls';
import { Multiple } from './edge/multiple';
import type {
  AdministratorCheck,
  CredentialAttempts,
  UserCheck,
  EdgeLog,
  FileBytes,
  IncomingQuota,
  ServiceCaller,
  SessionGate,
  Throttle,
} from './edge/ports';
import { RestCalls } from './edge/rest-calls';
import { RouteTable } from './edge/route-table';
import type { EdgeSettings } from './edge/settings';
import { IncomingBytes } from './input/incoming-bytes';
import type { JobRunner } from './jobs/jobs';
import type { Streams } from './streams/streams';
import { EdgeMetrics } from './observe/metrics';

/** Everything outside the edge that it works with. */
export interface EdgeEnvironment {
  readonly settings: EdgeSettings;
  readonly caller: ServiceCaller;
  readonly files: FileBytes;
  /** Counts uploads under way, with other gateways. */
  readonly incoming: IncomingQuota;
  readonly sessions: SessionGate;
  /** Streams of what happens; without them such calls are refused. */
  readonly streams?: Streams;
  /** Calls that go on without their request; without them such calls are waited for. */
  readonly jobs?: JobRunner;
  /** Finds out who is behind trusted proxies. */
  readonly addresses: ClientAddresses;
  /** Logins per client address. */
  readonly logins: Throttle;
  /** Failed credentials of the REST API per client address. */
  readonly restAttempts: CredentialAttempts;
  readonly administrator: AdministratorCheck;
  readonly user: UserCheck;
  readonly log: EdgeLog;
  readonly accessLog: EdgeLog;
  /** Writes lines with the log levels of a caller; default: those of the process. */
  readonly logFor?: (principal: Principal | undefined, write: () => void) => void;
  readonly registry?: Registry;
  /** Written into error objects of the REST API. */
  readonly version: string;
  /** Operations to serve; default: all of the product. */
  readonly declared?: readonly Operation[];
  /** Names of modules, also those without actions; default: all of the product. */
  readonly modules?: Iterable<string>;
  /** Leave requests below /docs to the next handler; default: no. */
  readonly hasExplorer?: boolean;
  /** Requests for pages beside the API, left to the next handler; default: none. */
  readonly hasPage?: (request: IncomingMessage) => boolean;
}

/** Puts the edge together: routes from contracts, checks, writers. */
export function buildEdge(environment: EdgeEnvironment): Edge {
  const { settings, log } = environment;
  const publicRoutes = new RouteTable('public', environment.declared, environment.modules);
  const internalRoutes = new RouteTable('internal', environment.declared, environment.modules);
  const incoming = new IncomingBytes(settings, environment.incoming);
  const runner = new CallRunner(environment.caller, environment.files, incoming, settings, environment.jobs);
  const files = new FileSender(environment.files, log);
  return new Edge({
    settings,
    publicRoutes,
    internalRoutes,
    modules: new ModuleCalls({
      routes: publicRoutes,
      runner,
      sessions: environment.sessions,
      ...(environment.streams ? { streams: environment.streams } : {}),
      files,
      multiple: new Multiple(publicRoutes, runner, settings, log, environment.sessions),
      logins: environment.logins,
      settings,
    }),
    rest: new RestCalls({
      runner,
      access: new RestAccess(settings, environment.administrator, environment.user, environment.restAttempts, log),
      files,
      settings,
      version: environment.version,
    }),
    addresses: environment.addresses,
    metrics: new EdgeMetrics(environment.registry),
    accessLog: environment.accessLog,
    logFor: environment.logFor ?? ((_principal, write) => write()),
    log,
    hasExplorer: environment.hasExplorer ?? false,
    hasPage: environment.hasPage ?? (() => false),
  });
}
