import { OutboundGuard, PortList, WebClient } from '@groupware/outbound';
import { Injectable } from '@nestjs/common';
import { getDomain } from 'tldts';
import { AutoconfigConfig } from './autoconfig.config';
import { ProviderList } from './provider-list';
import { readPublishedConfig } from './published-config';
import { readGuess, type AddressParts, type Suggestion, type Suggestions } from './suggestion';

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

/** Asks one source after the other what it knows of a domain. Each answers undefined when it knows nothing. */
@Injectable()
export class DomainLookup {
  constructor(
    private readonly config: AutoconfigConfig,
    private readonly list: ProviderList,
    private readonly web: WebClient,
    private readonly guard: OutboundGuard,
  ) {}

  /** The sources in the order to believe them; all begin at once. */
  sources(parts: AddressParts, onBehalfOf: string, signal: AbortSignal): Promise<Suggestions | undefined>[] {
    const { domain, address } = parts;
    const listed = this.list.find(domain);
    if (listed) return [Promise.resolve(listed)];
    const published = this.published(domain, address, onBehalfOf, signal);
    return [
      published,
      this.central(domain, onBehalfOf, signal),
      this.services(domain, signal),
      this.byExchanger(domain, onBehalfOf, signal),
    ];
  }

  /** Likely servers of a domain. */
  guesses(domain: string): Suggestions {
    const all = this.config.guesses.flatMap((text) => readGuess(text) ?? []);
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

  private async published(
    domain: string,
    address: string,
    onBehalfOf: string,
    signal: AbortSignal,
  ): Promise<Suggestions | undefined> {
    const documents = this.config.urls.map((template) =>
      this.document(fill(template, domain, address), 'web', onBehalfOf, signal),
    );
    for (const document of documents) {
      const found = await document;
      if (found) return found;
    }
    return undefined;
  }

  private async central(domain: string, onBehalfOf: string, signal: AbortSignal): Promise<Suggestions | undefined> {
    if (!this.config.centralUrl) return undefined;
    return this.document(fill(this.config.centralUrl, domain, ''), 'central', onBehalfOf, signal, CENTRAL_PORTS);
  }

  private async document(
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
      return answer.status === 200 ? readPublishedConfig(answer.body.toString('utf8'), source) : undefined;
    } catch {
      return undefined;
    }
  }

  private async services(domain: string, signal: AbortSignal): Promise<Suggestions | undefined> {
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

  /** Where the mail of a domain goes tells who runs its servers. */
  private async byExchanger(domain: string, onBehalfOf: string, signal: AbortSignal): Promise<Suggestions | undefined> {
    const [exchanger] = await this.guard.resolver.exchanges(domain, signal);
    const provider = exchanger && (getDomain(exchanger) ?? exchanger.toLowerCase().split('.').slice(-2).join('.'));
    if (!provider || provider === domain) return undefined;
    const found =
      this.list.find(provider) ??
      (await this.published(provider, `user@${provider}`, onBehalfOf, signal)) ??
      (await this.services(provider, signal));
    return found && { ...found, source: `mx ${found.source}` };
  }
}

const fill = (template: string, domain: string, address: string): string =>
  template.replaceAll('{domain}', encodeURIComponent(domain)).replaceAll('{address}', encodeURIComponent(address));
