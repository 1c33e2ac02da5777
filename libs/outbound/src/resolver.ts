import { Resolver as DnsResolver } from 'node:dns/promises';

/** A server that a domain names for a service (RFC 2782). */
export interface ServiceRecord {
  readonly host: string;
  readonly port: number;
  readonly priority: number;
  readonly weight: number;
}

/** Look-ups in the domain name system. Unknown names give empty lists; so do servers that do not answer in time. */
export interface Resolver {
  /** IPv6 and IPv4 addresses of a name. */
  addresses(name: string, signal?: AbortSignal): Promise<string[]>;
  /** SRV records in the order to try them. */
  services(name: string, signal?: AbortSignal): Promise<ServiceRecord[]>;
  /** Mail exchangers, the preferred one first. */
  exchanges(name: string, signal?: AbortSignal): Promise<string[]>;
}

/** Time for one try at one server, ms, and how many tries. */
const TRY_MS = 2_000;
const TRIES = 2;
/** Most records of one answer that are looked at. */
const MAX_RECORDS = 20;

/** Asks name servers; the hosts file of the machine is not read. */
export class NameServers implements Resolver {
  /** @param servers address or address:port; empty: those of the machine */
  constructor(private readonly servers: readonly string[] = []) {}

  async addresses(name: string, signal?: AbortSignal): Promise<string[]> {
    const [six, four] = await Promise.all([
      this.ask((dns) => dns.resolve6(name), signal),
      this.ask((dns) => dns.resolve4(name), signal),
    ]);
    return [...six.slice(0, MAX_RECORDS), ...four.slice(0, MAX_RECORDS)];
  }

  async services(name: string, signal?: AbortSignal): Promise<ServiceRecord[]> {
    const records = await this.ask((dns) => dns.resolveSrv(name), signal);
    return records
      .slice(0, MAX_RECORDS)
      .map(({ name: host, port, priority, weight }) => ({ host, port, priority, weight }))
      .sort((a, b) => a.priority - b.priority || b.weight - a.weight);
  }

  async exchanges(name: string, signal?: AbortSignal): Promise<string[]> {
    const records = await this.ask((dns) => dns.resolveMx(name), signal);
    return records
      .slice(0, MAX_RECORDS)
      .sort((a, b) => a.priority - b.priority)
      .map(({ exchange }) => exchange);
  }

  private async ask<T>(question: (dns: DnsResolver) => Promise<T[]>, signal?: AbortSignal): Promise<T[]> {
    if (signal?.aborted) return [];
    // One for each question: cancelling ends all questions of a resolver.
    const dns = new DnsResolver({ timeout: TRY_MS, tries: TRIES });
    if (this.servers.length > 0) dns.setServers(this.servers);
    const cancel = () => dns.cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      return await question(dns);
    } catch {
      return [];
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  }
}
