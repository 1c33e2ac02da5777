/** Bytes. */
const LONGEST_ERROR = 4_000;

/** A client of the system: keeps cookies and the session, as a browser would. */
export class Client {
  userAgent = 'groupware-bench';
  cookies = new Map();
  session = '';
  userId = 0;

  constructor(baseUrl) {
    this.baseUrl = baseUrl;
  }

  get headers() {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    return { 'user-agent': this.userAgent, ...(cookie ? { cookie } : {}) };
  }

  url(module, parameters) {
    return `${this.baseUrl}/${module}?${new URLSearchParams({ ...parameters, session: this.session })}`;
  }

  async login(name, password) {
    const response = await fetch(`${this.baseUrl}/login?action=login`, {
      method: 'POST',
      headers: this.headers,
      body: new URLSearchParams({ name, password, client: 'bench' }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair] = line.split(';');
      this.cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    const answer = await response.json();
    if (!answer.session) throw new Error(`login failed: ${JSON.stringify(answer)}`);
    this.session = answer.session;
    this.userId = answer.user_id;
    return answer;
  }

  /** Imports an iCalendar text into a folder. */
  async importCalendar(folder, text) {
    const form = new FormData();
    form.append('file', new Blob([text], { type: 'text/calendar' }), 'bench.ics');
    const parameters = { action: 'ICAL', folder, plainJson: true };
    const response = await fetch(this.url('import', parameters), { method: 'POST', headers: this.headers, body: form });
    const answer = await response.json();
    const failed = answer.error ?? answer.data.find((item) => item.error)?.error;
    if (failed) throw new Error(`import: ${JSON.stringify(failed)}`);
  }

  async call(method, module, parameters, body) {
    const answer = JSON.parse(await this.text(method, module, parameters, body));
    if (answer.error && answer.category !== 13)
      throw new Error(`${module} ${JSON.stringify(parameters)}: ${answer.code} ${answer.error_desc}`);
    return answer;
  }

  /** The answer as it came, unread. */
  async text(method, module, parameters, body) {
    return Buffer.from(await (await this.fetch(method, module, parameters, body)).arrayBuffer());
  }

  /** The answer as it came, unread. @throws when it tells an error, which is short */
  async answer(method, module, parameters, body) {
    const text = await this.text(method, module, parameters, body);
    if (text.length < LONGEST_ERROR && text.includes('"error_params"')) throw new Error(`${module}: ${text}`);
    return text;
  }

  /** Reads a file; answers how long its first bytes took, ms. @throws when something else comes */
  async timeFirstBytes(method, module, parameters) {
    const begin = performance.now();
    const response = await this.fetch(method, module, parameters);
    const reader = response.body.getReader();
    const { value } = await reader.read();
    const took = performance.now() - begin;
    if (!response.ok || response.headers.get('content-type')?.includes('json'))
      throw new Error(`${module}: ${response.status} ${Buffer.from(value ?? []).toString('utf8', 0, 500)}`);
    // A reader that lets go of the rest ends a connection that the next one has to open again.
    for (let done = value === undefined; !done;) ({ done } = await reader.read());
    return took;
  }

  fetch(method, module, parameters, body) {
    const isForm = body === undefined || body instanceof FormData;
    return fetch(this.url(module, parameters), {
      method,
      headers: isForm ? this.headers : { ...this.headers, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
  }
}

/** Runs `work` for every item, at most `width` at a time. */
export async function inParallel(items, width, work) {
  const queue = items.entries();
  const worker = async () => {
    for (const [index, item] of queue) await work(item, index);
  };
  await Promise.all(Array.from({ length: width }, worker));
}
