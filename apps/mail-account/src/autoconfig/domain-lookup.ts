import { OutboundGuard, PortList, WebClient } from '@groupware/outbound';
import { Injectable } from '@nestjs/common';
import { getDomain } from 'tldts';
import { AutoconfigConfig } from './autoconfig.config';
import { ProviderList } from './provider-list';
import { parsePublishedConfig } from './published-config';
import { parseGuess, type AddressParts, type Suggestion, type Suggestions } from './suggestion';

/** Largest published document, bytes. */
const MAX_DOCUMENT_BYTES = 65_536;
/** Longest time for one look-up, ms. */
const LOOKUP_MS = 5_000;
const CENTRAL_PORTS = new PortList(['1-65535']);

/** Service names of RFC 6186 and 8314. */
const SERVICES: readonly { name: string; protocol: string; secure: boolean; side: 'mail' | 'transport' }[] = [
  { name: '_imaps._tcp', protocol: 'imap', secure: true, side: 'mail' },
  { name: '_imap._tcp', protocol: 'imap', secure: false, side: 'mail' },
  { name: '_pop3s._tcp', protocol: 'pop3', secure: true, side: 'mail' },
  { name: '_pop3._tcp', protocol: 'pop3', secure: false, side: 'mail' },
  { name: '_submissions._tcp', protocol: 'smtp', secure: true, side: 'transport' },
  { name: '_submission._tcp', protocol: 'smtp', secure: false, side: 'transport' },
];

/** Looks up the mail servers of a domain in all sources; each answers undefined when it knows none. */
@Injectable()
export class DomainLookup {
  constructor(
    private readonly config: AutoconfigConfig,
    private readonly list: ProviderList,
    private readonly web: WebClient,
    private readonly guard: OutboundGuard,
  ) {}

  /** Starts all lookups; the order is that of trust. */
  startLookups(parts: AddressParts, onBehalfOf: string, signal: AbortSignal): Promise<Suggestions | undefined>[] {
    const { domain, address } = parts;
    const listed = this.list.findByDomain(domain);
    if (listed) return [Promise.resolve(listed)];
    const published = this.fetchPublished(domain, address, onBehalfOf, signal);
    return [
      published,
      this.queryCentral(domain, onBehalfOf, signal),
      this.querySrvRecords(domain, signal),
      this.findByMailExchanger(domain, onBehalfOf, signal),
    ];
  }

  /** Likely servers of a domain. */
  listGuesses(domain: string): Suggestions {
    const all = this.config.guesses.flatMap((text) => parseGuess(text) ?? []);
    const on = (hosts: readonly string[], isTransport: boolean): Suggestion[] =>
      all
        .filter(({ protocol }) => (protocol === 'smtp') === isTransport)
        .flatMap((guess) => hosts.map((host) => ({ ...guess, host })));
    return {
      source: 'guess',
      guessed: true,
      mail: on([`imap.${domain}`, `mail.${domain}`, domain], false),
      transport: on([`smtp.${domain}`, `mail.${domain}`, domain], true),
    };
  }

  private async fetchPublished(
    domain: string,
    address: string,
    onBehalfOf: string,
    signal: AbortSignal,
  ): Promise<Suggestions | undefined> {
    const documents = this.config.urls.map((template) =>
      this.fetchDocument(expandTemplate(template, domain, address), 'web', onBehalfOf, signal),
    );
    for (const document of documents) {
      const found = await document;
      if (found) return found;
    }
    return undefined;
  }

  private async queryCentral(
    domain: string,
    onBehalfOf: string,
    signal: AbortSignal,
  ): Promise<Suggestions | undefined> {
    if (!this.config.centralUrl) return undefined;
    return this.fetchDocument(
      expandTemplate(this.config.centralUrl, domain, ''),
      'central',
      onBehalfOf,
      signal,
      CENTRAL_PORTS,
    );
  }

  private async fetchDocument(
    url: string,
    source: string,
    onBehalfOf: string,
    signal: AbortSignal,
    ports?: PortList,
  ): Promise<Suggestions | undefined> {
    try {
      const answer = await this.web.fetch({
        url,
        purpose: 'autoconfig',
        maxBytes: MAX_DOCUMENT_BYTES,
        timeoutMs: LOOKUP_MS,
        ports,
        onBehalfOf,
        signal,
      });
      return answer.status === 200 ? parsePublishedConfig(answer.body.toString('utf8'), source) : undefined;
    } catch {
      return undefined;
    }
  }

  private async querySrvRecords(domain: string, signal: AbortSignal): Promise<Suggestions | undefined> {
    const records = await Promise.all(
      SERVICES.map(({ name }) => this.guard.resolver.services(`${name}.${domain}`, signal)),
    );
    const of = (side: 'mail' | 'transport'): Suggestion[] =>
      SERVICES.flatMap((service, index) =>
        service.side !== side
          ? []
          : records[index]! // A lone dot says that the service is not offered.
              .filter(({ host, port }) => host !== '' && host !== '.' && port > 0)
              .map(({ host, port }) => ({
                protocol: service.protocol,
                host: host.toLowerCase().replace(/\.$/, ''),
                port,
                secure: service.secure,
                starttls: !service.secure,
              })),
      );
    const [mail, transport] = [of('mail'), of('transport')];
    return mail.length + transport.length > 0 ? { source: 'dns', mail, transport } : undefined;
  }

  /** Finds the provider by the MX record of the domain. */
  private async findByMailExchanger(
    domain: string,
    onBehalfOf: string,
    signal: AbortSignal,
  ): Promise<Suggestions | undefined> {
    const [exchanger] = await this.guard.resolver.exchanges(domain, signal);
    const provider = exchanger && (getDomain(exchanger) ?? exchanger.toLowerCase().split('.').slice(-2).join('.'));
    if (!provider || provider === domain) return undefined;
    const found =
      this.list.findByDomain(provider) ??
      (await this.fetchPublished(provider, `user@${provider}`, onBehalfOf, signal)) ??
      (await this.querySrvRecords(provider, signal));
    return found && { ...found, source: `mx ${found.source}` };
  }
}

const expandTemplate = (template: string, domain: string, address: string): string =>
  template.replaceAll('{domain}', encodeURIComponent(domain)).replaceAll('{address}', encodeURIComponent(address));
