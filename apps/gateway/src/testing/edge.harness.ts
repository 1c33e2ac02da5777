import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  SessionErrors,
  type CatalogueError,
  type CookieChange,
  type Operation,
  type UserPrincipal,
} from '@groupware/contracts';
import { ClientAddresses, SlowClients } from '@groupware/service-kit';
import { tooManyRequests } from '@groupware/sessions';
import { Registry } from 'prom-client';
import { buildEdge } from '../build-edge';
import type { Edge } from '../edge/edge';
import type {
  EdgeLog,
  FileBytes,
  OutgoingCall,
  RawAnswer,
  ServiceCaller,
  SessionGate,
  SessionRequest,
  CredentialAttempts,
  Throttle,
} from '../edge/ports';
import type { EdgeSettings } from '../edge/settings';

/** Id of the session the harness knows. */
export const SESSION = '0123456789abcdef0123456789abcdef';

/** The user of that session. */
export const ann: UserPrincipal = {
  kind: 'user',
  contextId: 1,
  userId: 3,
  groups: [0],
  locale: 'en_US',
  timeZone: 'UTC',
  capabilities: ['calendar'],
  login: 'ann',
  displayName: 'Ann',
  email: 'ann@example.org',
  sessionId: SESSION,
};

/** Settings with small limits, so that tests reach them. */
const testSettings: EdgeSettings = {
  basePaths: [''],
  deadlineMs: 5000,
  retryAfterSeconds: 7,
  maxConcurrent: 100,
  maxConcurrentPerAddress: 100,
  maxReceiving: 100,
  maxReceivingPerAddress: 100,
  maxBodyBytes: 10_000,
  maxRestBodyBytes: 5_000,
  maxUploadBytes: 100_000,
  maxIncomingBytesPerUser: 500_000_000,
  maxIncomingBytes: 1_000_000_000,
  maxUploadFiles: 3,
  maxUploadFields: 5,
  maxFieldBytes: 1_000,
  cookieSecurity: 'auto',
  cookieSameSite: 'Lax',
  cookieDomain: '',
  showsStack: () => false,
  master: { login: 'root', password: 'master-secret' },
  service: { login: 'peer', password: 'peer-secret' },
  maxMultiple: 20,
  maxMultipleBytes: 100_000,
  cookiePrefixes: ['svc-'],
};

/** JSON bytes of a value, as a service would send them. */
export const bytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));

/** A file store in memory that knows what is still in it. */
class MemoryFiles implements FileBytes {
  readonly stored = new Map<string, Buffer>();
  readonly removed: string[] = [];
  private count = 0;

  async write(stream: AsyncIterable<Uint8Array>, limits: { maxBytes: number }) {
    const parts: Uint8Array[] = [];
    let size = 0;
    for await (const part of stream) {
      parts.push(part);
      size += part.length;
    }
    if (size > limits.maxBytes) throw new RangeError('store limit');
    const reference = `ref-${++this.count}`;
    this.stored.set(reference, Buffer.concat(parts));
    return { reference, sizeBytes: size, sha256: 'a'.repeat(64) };
  }

  async *read(reference: string, range: { start: number; end?: number } = { start: 0 }): AsyncIterable<Uint8Array> {
    const stored = this.stored.get(reference);
    if (!stored) throw new RangeError('no such file');
    const whole = stored.subarray(range.start, range.end === undefined ? undefined : range.end + 1);
    for (let start = 0; start < whole.length; start += 16_384) yield whole.subarray(start, start + 16_384);
  }

  async discard(reference: string): Promise<boolean> {
    this.removed.push(reference);
    return this.stored.delete(reference);
  }
}

/** A log that keeps its lines. */
class MemoryLog implements EdgeLog {
  readonly lines: (object & { level: string; message?: string })[] = [];
  private readonly add = (level: string) => (fields: object, message?: string) =>
    void this.lines.push({ ...fields, level, message });
  readonly info = this.add('info');
  readonly warn = this.add('warn');
  readonly error = this.add('error');
}

/** Sessions: one is known, with the secret cookie `svc-secret-test=s3cret`. */
class FakeSessions implements SessionGate {
  principal: UserPrincipal = ann;

  async check({ sessionId, cookies }: SessionRequest) {
    if (!sessionId) throw SessionErrors.missing();
    if (sessionId !== SESSION) throw SessionErrors.unknown('(no session id)');
    if (!cookies?.includes('svc-secret-test=s3cret')) throw SessionErrors.wrongSecret();
    return { principal: this.principal, cookies: [] };
  }

  async checkToken(token: string) {
    return token === 'good' ? { ...this.principal, appScopes: ['read_calendar'] } : undefined;
  }

  async findUser(sessionId: string) {
    return sessionId === SESSION ? this.principal : undefined;
  }

  cookiesAfter(error: CatalogueError): readonly CookieChange[] {
    return error.is(SessionErrors.unknown) || error.is(SessionErrors.wrongSecret) ? [{ name: 'svc-secret-test' }] : [];
  }
}

/** A throttle that lets `limit` events through. */
class CountingThrottle implements Throttle {
  private readonly counts = new Map<string, number>();
  constructor(private readonly limit: number) {}

  async count(key: string): Promise<number> {
    const next = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, next);
    return next > this.limit ? 30 : 0;
  }
}

/** Attempts of which `limit` may fail. */
export class CountingAttempts implements CredentialAttempts {
  private readonly failures = new Map<string, number>();
  constructor(private readonly limit: number) {}

  async attempt<T>({ target }: { readonly target: string }, check: () => Promise<T | undefined>) {
    const before = this.failures.get(target) ?? 0;
    if (before >= this.limit) throw tooManyRequests({ waitSeconds: 30 });
    this.failures.set(target, before + 1);
    let refund = true;
    try {
      const found = await check();
      refund = found !== undefined;
      return { found };
    } finally {
      if (refund) this.failures.set(target, this.failures.get(target)! - 1);
    }
  }
}

type Answer = (operation: Operation, call: OutgoingCall) => Promise<RawAnswer> | RawAnswer;

/** The edge on a free port, with fakes behind it. */
export class EdgeHarness {
  readonly files = new MemoryFiles();
  readonly log = new MemoryLog();
  readonly accessLog = new MemoryLog();
  readonly sessions = new FakeSessions();
  readonly calls: { operation: Operation; call: OutgoingCall }[] = [];
  readonly edge: Edge;
  private answer: Answer = () => ({ body: bytes([]) });
  private readonly servers = [
    (request: IncomingMessage, response: ServerResponse) => this.edge.handlePublic(request, response),
    (request: IncomingMessage, response: ServerResponse) => this.edge.handleInternal(request, response),
  ].map((handler) => createServer(handler));

  constructor(
    declared: readonly Operation[],
    options: { settings?: Partial<EdgeSettings>; logins?: number; failures?: number; stallMs?: number } = {},
  ) {
    const stallMs = options.stallMs ?? 5_000;
    for (const server of this.servers) new SlowClients(server, { stallMs, minBytesPerSecond: 1_000 });
    const caller: ServiceCaller = {
      request: async (operation, call) => {
        this.calls.push({ operation, call });
        return this.answer(operation, call);
      },
    };
    this.edge = buildEdge({
      settings: { ...testSettings, ...options.settings },
      caller,
      files: this.files,
      incoming: { request: async (_lease, _owners, { want }) => ({ granted: want }), release: async () => undefined },
      sessions: this.sessions,
      addresses: new ClientAddresses([]),
      logins: new CountingThrottle(options.logins ?? 1000),
      restAttempts: new CountingAttempts(options.failures ?? 5),
      // Reseller `west` answers for contexts from 100 on.
      user: async () => undefined,
      administrator: async ({ login, password }, { contextId, contextAdmin }) => {
        if (login === 'west' && password === 'west-secret')
          return {
            principal: { kind: 'reseller', login, reseller: login },
            isResponsible: contextId !== undefined && contextId >= 100,
          };
        return contextAdmin && contextId !== undefined && login === 'admin' && password === `admin-${contextId}`
          ? { principal: { kind: 'context-admin', login, contextId, userId: 2 }, isResponsible: true }
          : undefined;
      },
      log: this.log,
      accessLog: this.accessLog,
      registry: new Registry(),
      version: '1.2.3',
      declared,
      modules: [...declared.filter(({ kind }) => kind === 'action').map(({ module }) => module), 'system'],
    });
  }

  /** Sets what services answer from now on. */
  answers(answer: Answer): void {
    this.answer = answer;
  }

  async start(): Promise<this> {
    await Promise.all(
      this.servers.map((server) => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))),
    );
    return this;
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.servers.map((server) => {
        const closed = new Promise((resolve) => server.close(resolve));
        server.closeAllConnections();
        return closed;
      }),
    );
  }

  private url(index: number): string {
    return `http://127.0.0.1:${(this.servers[index]!.address() as AddressInfo).port}`;
  }

  /** Base URL of the public listener. */
  get publicUrl(): string {
    return this.url(0);
  }

  /** Base URL of the internal listener. */
  get internalUrl(): string {
    return this.url(1);
  }

  /** A request with the session's cookie; `session` in the target is replaced by the session's id. */
  fetch(target: string, init: RequestInit = {}): Promise<Response> {
    return fetch(this.publicUrl + target.replace('$S', SESSION), {
      redirect: 'manual',
      ...init,
      headers: { cookie: 'svc-secret-test=s3cret', ...(init.headers as Record<string, string>) },
    });
  }

  /** The same, read as JSON. */
  async json(target: string, init: RequestInit = {}): Promise<Record<string, unknown>> {
    return (await (await this.fetch(target, init)).json()) as Record<string, unknown>;
  }

  /** The last call that reached the bus. */
  get lastCall(): { operation: Operation; call: OutgoingCall } {
    return this.calls.at(-1)!;
  }
}
