import { Client } from 'pg';

/** Host to connect to. */
export interface DatabaseHost {
  /** The address with this host alone. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
}

/** Required kind of server: any, or one that takes writes. */
type SessionAttributes = 'any' | 'read-write' | 'primary';

/** Longest wait for one of several hosts, ms. */
const HOST_TIMEOUT_MS = 2_000;

/** An address as libpq takes it: `postgres://user:password@a:5432,b:5433/name?target_session_attrs=read-write`. */
const ADDRESS = /^(?<scheme>postgres(?:ql)?:\/\/)(?<login>[^@/?#]*@)?(?<hosts>[^/?#]*)(?<rest>(?:[/?#].*)?)$/s;

/** The addresses of each host of an address. */
function splitAddress(address: string): { readonly urls: readonly string[]; readonly wanted: SessionAttributes } {
  const { scheme, login = '', hosts, rest } = ADDRESS.exec(address)?.groups ?? {};
  if (!hosts?.includes(',')) return { urls: [address], wanted: 'any' };
  const query = new URLSearchParams(rest!.split('?')[1]);
  const wanted = query.get('target_session_attrs') ?? 'any';
  if (wanted !== 'any' && wanted !== 'read-write' && wanted !== 'primary')
    throw new Error(`target_session_attrs=${wanted} is not known: any, read-write or primary`);
  return { urls: hosts.split(',').map((host) => `${scheme}${login}${host}${rest}`), wanted };
}

const QUESTIONS: Record<SessionAttributes, string> = {
  any: 'select true as fits',
  'read-write': `select current_setting('transaction_read_only') = 'off' as fits`,
  primary: 'select not pg_is_in_recovery() as fits',
};

/** No host of an address can be used; callers treat it as a refused connection. */
class NoHostError extends Error {
  readonly code = 'ECONNREFUSED';
}

/**
 * Finds the host to connect to among several in one address: the first one that answers and is what the address wants,
 * beginning with the one that was found last. An address with one host is that host, unasked.
 */
export class HostFinder {
  private readonly urls: readonly string[];
  private readonly wanted: SessionAttributes;
  private last = 0;
  private finding: Promise<string> | undefined;

  /** Address of any of the hosts. */
  readonly firstUrl: string;

  constructor(address: string) {
    ({ urls: this.urls, wanted: this.wanted } = splitAddress(address));
    this.firstUrl = this.urls[0]!;
  }

  /** True when there is something to find. */
  get hasSeveral(): boolean {
    return this.urls.length > 1;
  }

  /** Finds the host; those who ask at the same time share the look. */
  async findHost(): Promise<DatabaseHost> {
    const url = this.hasSeveral ? await this.findUrl() : this.firstUrl;
    const { hostname, port } = new URL(url);
    return { url, host: decodeURIComponent(hostname).replace(/^\[|\]$/g, ''), port: Number(port || 5432) };
  }

  private findUrl(): Promise<string> {
    this.finding ??= this.look().finally(() => (this.finding = undefined));
    return this.finding;
  }

  private async look(): Promise<string> {
    const problems: unknown[] = [];
    for (let offset = 0; offset < this.urls.length; offset++) {
      const index = (this.last + offset) % this.urls.length;
      const url = this.urls[index]!;
      try {
        if (await this.fits(url)) {
          this.last = index;
          return url;
        }
        problems.push(new Error(`${new URL(url).host} is not ${this.wanted}`));
      } catch (error) {
        problems.push(error);
      }
    }
    throw new NoHostError(`no host of the database address is ${this.wanted}`, { cause: new AggregateError(problems) });
  }

  private async fits(url: string): Promise<boolean> {
    const client = new Client({
      connectionString: url,
      application_name: 'groupware host',
      connectionTimeoutMillis: HOST_TIMEOUT_MS,
      query_timeout: HOST_TIMEOUT_MS,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query<{ fits: boolean }>(QUESTIONS[this.wanted]);
      return rows[0]!.fits;
    } finally {
      client.end().catch(() => undefined);
    }
  }
}

/** The address with one host, for what connects once. */
export async function singleHostUrl(address: string): Promise<string> {
  const finder = new HostFinder(address);
  return finder.hasSeveral ? (await finder.findHost()).url : address;
}
