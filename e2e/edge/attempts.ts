import { fieldsOf, type FieldDescription, type Model, type Operation } from '@groupware/contracts';
import { created } from '../calendar/calendar';
import { createContext, createFixtures, createTestUser, type Fixtures, type TestUser } from '../fixtures';
import { modulePath, nameOf, sampleBody, samplePath, sampleQuery } from '../samples';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { VALID_CALLS } from './valid-calls';

/** No answer may take longer, ms. */
const PATIENCE_MS = 20_000;

/** Caller of attempts, and the objects that they name. */
export interface AttemptCaller {
  readonly world: Pick<TestEnvironment, 'publicUrl' | 'internalUrl' | 'master' | 'service'>;
  readonly player: TestUser;
  /** An appointment of the player. */
  readonly appointment: string;
  /** A context for administrators to do with as they like, and a user of it. */
  readonly victim: { readonly contextId: number; readonly userId: number };
  /** Makes names that are not in use. */
  nextSerial(): number;
}

/** Properties with which users may call modules that are off as a rule. */
export const EVERY_MODULE = { 'com.example.capability.messaging': 'true' } as const;

/** Makes the users and contexts of attempts, and new ones when an operation has used them up. */
export class AttemptCallers {
  private player!: TestUser;
  private appointment = '';
  private victim = { contextId: 0, userId: 0 };
  private serial = 0;

  private constructor(
    private readonly world: TestEnvironment,
    private readonly cast: Fixtures,
  ) {}

  /** @param variables settings beside those without which limits of attempts would be met */
  static async start(variables: Record<string, string> = {}): Promise<AttemptCallers> {
    const world = await startTestEnvironment({
      variables: {
        GATEWAY_REST_FAILURES_PER_MINUTE: '1000000',
        GATEWAY_LOGINS_PER_MINUTE: '1000000',
        IDENTITY_HASH_MEMORY_KIB: '64',
        IDENTITY_HASH_PASSES: '1',
        ...variables,
      },
      properties: EVERY_MODULE,
    });
    const callers = new AttemptCallers(world, await createFixtures(world));
    await callers.renewPlayer();
    return callers;
  }

  /**
   * The caller for an operation.
   * @param reuses whether administrators keep their context as long as it is there; else they have one of their own each time
   */
  async callerFor({ kind }: Operation, { reuses = false } = {}): Promise<AttemptCaller> {
    if (kind === 'rest' && !(reuses && (await this.hasVictim()))) await this.renewVictim();
    const { world, player, appointment, victim } = this;
    return { world, player, appointment, victim, nextSerial: () => (this.serial += 1) };
  }

  /** Makes another user where the operation ended the session of this one. */
  async restore({ kind }: Operation): Promise<void> {
    if (kind !== 'rest' && (await this.player.get('user', 'get')).code) await this.renewPlayer();
  }

  close(): Promise<void> {
    return this.world.close();
  }

  private async renewPlayer(): Promise<void> {
    const { world, cast } = this;
    this.player = await createTestUser(world, cast.admin, cast.contextId, `h${(this.serial += 1)}`);
    const path = `/admin/v1/contexts/${cast.contextId}/users/${this.player.userId}`;
    await cast.admin.expect('PATCH', path, { capabilities: { add: ['edit_group', 'edit_resource', 'edit_password'] } });
    const start = Date.UTC(2035, 4, 7, 9);
    this.appointment = await created(this.player, { start_date: start, end_date: start + 3_600_000 });
  }

  /** Whether the context of administrators is still there and open. */
  private async hasVictim(): Promise<boolean> {
    const { contextId, userId } = this.victim;
    if (contextId === 0) return false;
    const path = `/admin/v1/contexts/${contextId}`;
    const [context, user] = await Promise.all([
      this.cast.admin.request('GET', path),
      this.cast.admin.request('GET', `${path}/users/${userId}`),
    ]);
    return context.status === 200 && context.body.enabled === true && user.status === 200;
  }

  private async renewVictim(): Promise<void> {
    const contextId = await createContext(this.cast.admin, 'victim');
    const name = `v${(this.serial += 1)}`;
    const { id } = await this.cast.admin.expect('POST', `/admin/v1/contexts/${contextId}/users`, {
      ...{ name, displayName: name, surname: 'V', password: 'victims 1 password' },
      primaryEmail: `${name}@c${contextId}.example`,
    });
    this.victim = { contextId, userId: id };
  }
}

/** Values that a client may send where a field of another kind is expected, in JSON and, as texts, in URLs. */
export const HOSTILE: readonly unknown[] = [
  null,
  '',
  -1,
  0.5,
  2 ** 31,
  2 ** 53,
  -1e300,
  true,
  {},
  [[null]],
  '\u0000',
  '__proto__',
  'constructor,__proto__,toString',
  '\ud800',
  "'; drop table appointment; --",
  '😀'.repeat(300),
  { toString: 'x', __proto__: null, constructor: { prototype: 1 } },
];

/** Values that name things which exist, by wire name. */
const known = ({ player, appointment }: AttemptCaller): Readonly<Record<string, unknown>> => ({
  id: appointment,
  folder: player.folder,
  folder_id: player.folder,
  attached: appointment,
  timestamp: 0,
  ...{ start: 0, end: 4_102_444_800_000, from: 0, until: 86_400_000 },
  module: 1,
  action: undefined,
});
const withKnown = (sample: Readonly<Record<string, unknown>>, caller: AttemptCaller): Record<string, unknown> => {
  const values = known(caller);
  return Object.fromEntries(Object.entries(sample).map(([name, value]) => [name, values[name] ?? value]));
};

const listed = (model: Model | undefined): readonly FieldDescription[] => (model ? fieldsOf(model) : []);
const asText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** A segment of a path; halves of surrogate pairs have no encoding. */
const encoded = (value: unknown): string => encodeURIComponent(Buffer.from(asText(value)).toString()) || '%20';

/** One call of an operation. */
export interface Attempt {
  readonly what: string;
  readonly query: Record<string, unknown>;
  readonly body: unknown;
  /** Values of the places of the path. */
  readonly places?: Readonly<Record<string, string>>;
}

/**
 * Each place of a call gets one in so many of the hostile values: places side by side get different ones, as do operations, so
 * that each kind of field meets all of them many times.
 */
const SHARES =
  process.env.HOSTILE_VALUES === 'all'
    ? { parameter: 1, place: 1, whole: 1, field: 1 }
    : { parameter: 8, place: 4, whole: 4, field: 9 };

/**
 * The operation with one field at a time set to hostile values; and with hostile bodies. Fields are read by
 * the same rules everywhere, so each gets some of the values, those of bodies fewer, or all of them with `HOSTILE_VALUES=all`.
 */
export function* attempts(operation: Operation, caller: AttemptCaller): Generator<Attempt> {
  const isList = Array.isArray(validCall(operation, caller).body);
  const bodyWith = (value: unknown): unknown => (isList ? [value] : value);
  const inQuery = (name: string, value: unknown) => {
    const { query, body } = validCall(operation, caller);
    return { query: { ...query, [name]: value }, body };
  };
  const inBody = (name: string, value: unknown) => {
    const { query, body } = validCall(operation, caller);
    return { query, body: bodyWith({ ...((isList ? (body as unknown[])[0] : body) as object), [name]: value }) };
  };
  yield { what: 'a valid call', ...validCall(operation, caller) };
  if (isList) yield { what: 'body of an empty list', ...validCall(operation, caller), body: [] };
  const first = operation.subject.length;
  for (const [turn, value] of HOSTILE.entries()) {
    const text = asText(value);
    const isDue = (place: number, share: number = SHARES.field): boolean => (first + turn + place) % share === 0;
    for (const [place, { wireName }] of listed(operation.query).entries())
      if (isDue(place, SHARES.parameter)) yield { what: `${wireName}=${text}`, ...inQuery(wireName, value) };
    for (const [place, { wireName }] of listed(operation.params).entries())
      if (isDue(place, SHARES.place))
        yield {
          what: `{${wireName}}=${text}`,
          ...validCall(operation, caller),
          places: { [wireName]: encoded(value) },
        };
    if (!operation.body) continue;
    if (isDue(0, SHARES.whole)) yield { what: `body ${text}`, ...validCall(operation, caller), body: value };
    if (isList && isDue(1, SHARES.whole))
      yield { what: `body [${text}]`, ...validCall(operation, caller), body: [value] };
    for (const [place, { wireName, type, model }] of listed(operation.body.model).entries()) {
      if (isDue(place)) yield { what: `body.${wireName}=${text}`, ...inBody(wireName, value) };
      if (type === 'list' && isDue(place + 1))
        yield { what: `body.${wireName}=[${text}]`, ...inBody(wireName, [value]) };
      for (const [innerPlace, inner] of listed(model?.()).entries()) {
        if (!isDue(place + innerPlace)) continue;
        const content = { [inner.wireName]: value };
        const nested = type === 'list' ? [content] : content;
        yield { what: `body.${wireName}.${inner.wireName}=${text}`, ...inBody(wireName, nested) };
      }
    }
  }
}

/** A call that passes the gateway, and as far as {@link VALID_CALLS} know it, succeeds. */
export function validCall(
  operation: Operation,
  caller: AttemptCaller,
): { query: Record<string, unknown>; body: unknown } {
  const { player, appointment, victim } = caller;
  const valid = VALID_CALLS[nameOf(operation)]?.({ player, appointment, ...victim, serial: caller.nextSerial() });
  const sample = sampleBody(operation);
  const object = (each: unknown): unknown =>
    typeof each === 'object' && each !== null ? withKnown(each as Record<string, unknown>, caller) : each;
  return {
    query: { ...(valid?.query ?? withKnown(sampleQuery(operation), caller)) },
    body: valid?.body ?? (Array.isArray(sample) ? sample.map(object) : object(sample)),
  };
}

function bodyOf(operation: Operation, body: unknown): RequestInit {
  const { body: spec } = operation;
  if (!spec || operation.http === 'GET') return {};
  if (spec.kind === 'form' || spec.kind === 'upload') {
    const values = Object.entries(typeof body === 'object' && body !== null ? body : { json: body });
    if (spec.kind === 'form')
      return { body: new URLSearchParams(values.map(([name, value]): [string, string] => [name, asText(value)])) };
    const form = new FormData();
    for (const [name, value] of values) form.set(name, asText(value));
    form.set('file', new Blob([asText(body)]), 'f\u202e.txt');
    return { body: form };
  }
  return { body: asText(body), headers: { 'content-type': 'application/json' } };
}

/** Makes the call of an attempt. */
export async function ask(
  operation: Operation,
  { query, body, places: hostile }: Attempt,
  { world, player, victim }: AttemptCaller,
): Promise<{ status: number; text: string }> {
  const parameters = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, asText(value)]));
  const signal = AbortSignal.timeout(PATIENCE_MS);
  let response: Response;
  if (operation.kind === 'rest') {
    const isForServices = operation.callers?.some((caller) => caller === 'service');
    const login = isForServices ? world.service.login : world.master.login;
    const password = isForServices ? world.service.password : world.master.password;
    const authorization = `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`;
    const { headers, ...init } = bodyOf(operation, body);
    const { contextId, userId } = victim;
    const places = { 'context-id': contextId, contextId, context: contextId };
    const user = { 'user-id': userId, userId, user: userId };
    const base = operation.listener === 'public' ? world.publicUrl : world.internalUrl;
    const path = `${samplePath(operation, { ...places, ...user, ...hostile })}?${new URLSearchParams(parameters)}`;
    response = await fetch(`${base}${path}`, {
      method: operation.http,
      redirect: 'manual',
      ...init,
      headers: { ...(headers as Record<string, string>), authorization },
      signal,
    });
  } else {
    const all = new URLSearchParams({ session: player.session, ...parameters });
    if (operation.action !== null) all.set('action', operation.action);
    const { headers, ...init } = bodyOf(operation, body);
    // Not as the client does it: no value is a secret only because it stands where one belongs.
    response = await fetch(`${world.publicUrl}/${modulePath(operation)}?${all}`, {
      ...init,
      method: operation.http,
      redirect: 'manual',
      headers: {
        ...(headers as Record<string, string>),
        'user-agent': player.userAgent,
        cookie: [...player.jar].map(([name, value]) => `${name}=${value}`).join('; '),
      },
      signal,
    });
  }
  const isOpen = operation.reply.kind === 'stream' && response.headers.get('content-type')?.includes('event-stream');
  if (isOpen) await response.body!.cancel();
  return { status: response.status, text: isOpen ? '' : await response.text() };
}

/** Tells whether an answer is unforeseen. */
export const isUnforeseen = ({ status, text }: { status: number; text: string }): boolean =>
  status === 500 || text.includes('"code":"SVL-0011"');
