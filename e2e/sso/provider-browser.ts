import { expectNoHash, keepOutOfLogs } from '../secrets';

/** A browser without scripts: follows redirects over all hosts, keeps cookies by origin, sends forms. */
export class PlainBrowser {
  private readonly jars = new Map<string, Map<string, string>>();
  readonly userAgent = 'Browser/1';
  /** Addresses it was at, newest last. */
  readonly visited: string[] = [];

  private jarOf(url: string): Map<string, string> {
    const { origin } = new URL(url);
    const jar = this.jars.get(origin) ?? new Map<string, string>();
    this.jars.set(origin, jar);
    return jar;
  }

  /** Cookies for an origin, as a header. */
  cookiesFor(url: string): string {
    return [...this.jarOf(url)].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** One request; redirects are not followed. */
  async request(url: string, init: RequestInit = {}): Promise<Response> {
    this.visited.push(url);
    const headers = new Headers(init.headers);
    headers.set('user-agent', this.userAgent);
    const cookie = this.cookiesFor(url);
    if (cookie) headers.set('cookie', cookie);
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(';');
      const [name = '', ...rest] = pair.split('=');
      const value = rest.join('=');
      const isGone = attributes.some((attribute) => /^\s*(max-age=0|expires=thu, 01 jan 1970)/i.test(attribute));
      if (isGone) this.jarOf(url).delete(name.trim());
      else this.jarOf(url).set(name.trim(), value);
      if (/-(secret|session|sso)/.test(name)) keepOutOfLogs(value);
    }
    const facts = new URLSearchParams(response.headers.get('location')?.split(/[?#]/).slice(1).join('&') ?? '');
    for (const name of ['session', 'sessionToken', 'code', 'token'])
      if (facts.get(name)) keepOutOfLogs(facts.get(name)!);
    return response;
  }

  /** Follows redirects until an answer is none, or leads to where `until` says. */
  async follow(
    url: string,
    until: (location: string) => boolean = () => false,
  ): Promise<{ url: string; response: Response }> {
    let at = url;
    for (let hops = 0; hops < 20; hops++) {
      const response = await this.request(at);
      const location = response.headers.get('location');
      if (!location) return { url: at, response };
      const next = new URL(location, at).href;
      if (until(next)) return { url: next, response };
      at = next;
    }
    throw new Error(`too many redirects: ${at}`);
  }

  /** Sends the form of a page. */
  async submit(page: { url: string; response: Response }, fields: Record<string, string>): Promise<Response> {
    const html = await page.response.text();
    expectNoHash(html);
    const action = /<form[^>]*action="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&');
    if (!action) throw new Error(`no form at ${page.url}: ${html.slice(0, 300)}`);
    const hidden = [...html.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([tag]) => [
      /name="([^"]*)"/.exec(tag)?.[1] ?? '',
      /value="([^"]*)"/.exec(tag)?.[1] ?? '',
    ]);
    const body = new URLSearchParams({ ...(Object.fromEntries(hidden) as Record<string, string>), ...fields });
    return this.request(new URL(action, page.url).href, { method: 'POST', body });
  }

  /** Logs in at the test provider, from the address of its authorization endpoint; answers where it leads back to. */
  async logInAtProvider(address: string, login: string): Promise<string> {
    const { origin } = new URL(address);
    const isBack = (location: string): boolean => new URL(location).origin !== origin;
    let page = await this.follow(address, isBack);
    for (let step = 0; step < 3 && new URL(page.url).origin === origin; step++) {
      const answer = await this.submit(page, { login, password: 'any' });
      const location = answer.headers.get('location');
      if (!location) throw new Error(`provider answered ${answer.status}: ${(await answer.text()).slice(0, 500)}`);
      const next = new URL(location, page.url).href;
      page = isBack(next) ? { url: next, response: answer } : await this.follow(next, isBack);
    }
    return page.url;
  }
}
