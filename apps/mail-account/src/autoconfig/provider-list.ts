import { readFileSync } from 'node:fs';
import { Logger } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { parseConfiguredServer } from '../domain/server-address';
import { AutoconfigConfig } from './autoconfig.config';
import shipped from './providers.json';
import type { Suggestion, Suggestions } from './suggestion';

const log = Logger.for('mail-account.autoconfig');

/** Provider lists from files: the operator's first, then the built-in one. */
@Injectable()
export class ProviderList {
  private readonly byDomain = new Map<string, Suggestions>();

  constructor(config: AutoconfigConfig) {
    this.addProviders(shipped, 'file');
    if (config.file) this.addProviders(this.readFile(config.file), 'own file');
  }

  /** Finds the servers of a domain. */
  findByDomain(domain: string): Suggestions | undefined {
    return this.byDomain.get(domain);
  }

  private readFile(file: string): unknown {
    try {
      return JSON.parse(readFileSync(file, 'utf8'));
    } catch (error) {
      log.error({ file, error: String(error) }, 'the list of providers cannot be read');
      return [];
    }
  }

  private addProviders(list: unknown, source: string): void {
    for (const entry of Array.isArray(list) ? (list as Record<string, unknown>[]) : []) {
      const texts = (name: string) => (Array.isArray(entry?.[name]) ? (entry[name] as unknown[]).map(String) : []);
      const login = typeof entry?.login === 'string' ? entry.login : undefined;
      const suggestions = (name: string) => texts(name).flatMap((text) => parseProvider(text, login) ?? []);
      const found: Suggestions = { source, mail: suggestions('mail'), transport: suggestions('transport') };
      for (const domain of texts('domains')) this.byDomain.set(domain.toLowerCase(), found);
    }
  }
}

function parseProvider(text: string, login: string | undefined): Suggestion | undefined {
  const server = parseConfiguredServer(text);
  if (!server) log.error({ text }, 'a server in a list of providers cannot be read');
  return server && { ...server, ...(login ? { login } : {}) };
}
