import { watchAnswer } from './answer-models';
import { expectNoHash, keepFieldsOutOfLogs, keepOutOfLogs } from './secrets';

/** Answer of a module call. */
export interface Envelope<T = any> {
  data?: T;
  timestamp?: number;
  error?: string;
  error_params?: string[];
  error_id?: string;
  error_desc?: string;
  code?: string;
  categories?: string | string[];
  category?: number;
  problematic?: unknown[];
  warnings?: unknown;
}

/** The JSON of an answer, whose secrets must not be logged. */
function noted(text: string): unknown {
  expectNoHash(text);
  const answer: unknown = JSON.parse(text);
  keepFieldsOutOfLogs(answer);
  return answer;
}

/** The answers of a batch, each as that of a call of its own. */
function watchBatch(body: unknown, answers: unknown): void {
  if (!Array.isArray(body) || !Array.isArray(answers)) return;
  for (const [index, { module, action, data, ...parameters }] of (body as Record<string, unknown>[]).entries()) {
    const call = { method: data === undefined ? 'GET' : 'PUT', module: String(module), action: String(action) };
    watchAnswer(call, parameters, answers[index]);
  }
}

type Parameters = Record<string, string | number | boolean | undefined>;

/** A client with one user agent and a cookie jar, as a browser would be. */
export class Client {
  private readonly cookies = new Map<string, string>();
  session = '';
  userId = 0;
  contextId = 0;

  constructor(
    readonly baseUrl: string,
    readonly userAgent = 'end-to-end test',
  ) {}

  /** Names and values of the cookies the server set and did not expire. */
  get jar(): ReadonlyMap<string, string> {
    return this.cookies;
  }

  /** The Cookie header of a request. */
  get cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  setCookie(name: string, value: string): void {
    this.cookies.set(name, value);
  }

  /** A client with the same cookies and session. */
  copy(): Client {
    const twin = new Client(this.baseUrl, this.userAgent);
    for (const [name, value] of this.cookies) twin.cookies.set(name, value);
    return Object.assign(twin, { session: this.session, userId: this.userId, contextId: this.contextId });
  }

  /** One HTTP request with cookies; redirects are not followed. */
  async fetch(method: string, path: string, parameters: Parameters = {}, init: RequestInit = {}): Promise<Response> {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, String(value));
    const headers = new Headers(init.headers);
    headers.set('user-agent', this.userAgent);
    if (this.cookies.size > 0) headers.set('cookie', this.cookieHeader);
    const suffix = [...query.keys()].length > 0 ? `?${query}` : '';
    // Fetch refuses bodies of GET (Fetch Standard, section 5.4); operations that take one do without.
    const body = method === 'GET' ? undefined : init.body;
    const response = await fetch(`${this.baseUrl}${path}${suffix}`, {
      redirect: 'manual',
      ...init,
      body,
      method,
      headers,
    });
    if (init.body instanceof URLSearchParams) keepFieldsOutOfLogs(Object.fromEntries(init.body));
    const leadsTo = response.headers.get('location')?.split('#')[1];
    if (leadsTo) keepFieldsOutOfLogs(Object.fromEntries(new URLSearchParams(leadsTo)));
    for (const cookie of response.headers.getSetCookie()) {
      const [pair, ...attributes] = cookie.split(';');
      const separator = pair!.indexOf('=');
      const name = pair!.slice(0, separator).trim();
      const expired = attributes.some((attribute) => /^\s*(max-age=0|expires=thu, 01 jan 1970)/i.test(attribute));
      if (expired) this.cookies.delete(name);
      else {
        this.cookies.set(name, pair!.slice(separator + 1));
        if (/-(secret|session|share)-/.test(name)) keepOutOfLogs(pair!.slice(separator + 1));
      }
    }
    return response;
  }

  /** A module call with the session of this client. */
  async call<T = any>(
    method: string,
    module: string,
    action: string,
    parameters: Parameters = {},
    body?: unknown,
  ): Promise<Envelope<T>> {
    const response = await this.fetch(
      method,
      `/${module}`,
      { action, session: this.session || undefined, ...parameters },
      body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } },
    );
    keepFieldsOutOfLogs(body);
    const answer = noted(await response.text());
    watchAnswer({ method, module, action }, parameters, answer);
    if (module === 'multiple') watchBatch(body, answer);
    return answer as Envelope<T>;
  }

  get<T = any>(module: string, action: string, parameters: Parameters = {}): Promise<Envelope<T>> {
    return this.call<T>('GET', module, action, parameters);
  }

  put<T = any>(module: string, action: string, parameters: Parameters, body: unknown): Promise<Envelope<T>> {
    return this.call<T>('PUT', module, action, parameters, body);
  }

  /** Logs in; the answer of the server is returned whatever it says. */
  async login(name: string, password: string, form: Record<string, string> = {}): Promise<Record<string, any>> {
    const response = await this.fetch(
      'POST',
      '/login',
      { action: 'login' },
      { body: new URLSearchParams({ name, password, ...form }) },
    );
    keepFieldsOutOfLogs({ password, ...form });
    const answer = noted(await response.text()) as Record<string, any>;
    watchAnswer({ method: 'POST', module: 'login', action: 'login' }, form, answer);
    if (answer.session) {
      this.session = answer.session;
      this.userId = answer.user_id;
      this.contextId = answer.context_id;
    }
    return answer;
  }
}

/** The administrative REST API with the credentials of one administrator. */
export class AdminClient {
  constructor(
    readonly baseUrl: string,
    readonly login: string,
    readonly password: string,
  ) {}

  async request<T = any>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; body: T; headers: Headers }> {
    const response = await fetch(`${this.baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Basic ${Buffer.from(`${this.login}:${this.password}`).toString('base64')}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    keepFieldsOutOfLogs({ password: this.password, body });
    const text = await response.text();
    return { status: response.status, body: (text ? noted(text) : undefined) as T, headers: response.headers };
  }

  /** A request that must succeed. */
  async expect<T = any>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.request<T>(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
}
