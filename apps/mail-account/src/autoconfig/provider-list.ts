import { readFileSync } from 'node:fs';
import { Logger } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { readConfiguredServer } from '../domain/server-address';
import { AutoconfigConfig } from './autoconfig.config';
import shipped from './providers.json';
import type { Suggestion, Suggestions } from './suggestion';

const log = Logger.for('mail-account.autoconfig');

/** Providers from files: the operator's own list, then the one shipped. */
@Injectable()
export class ProviderList {
  private readonly byDomain = new Map<string, Suggestions>();

  constructor(config: AutoconfigConfig) {
    this.add(shipped, 'file');
    if (config.file) this.add(this.read(config.file), 'own file');
  }

  /** What the lists say about a domain. */
  find(domain: string): Suggestions | undefined {
    return this.byDomain.get(domain);
  }

  private read(file: string): unknown {
    try {
      return JSON.parse(readFileSync(file, 'utf8'));
    } catch (error) {
      log.error({ file, error: String(error) }, 'the list of providers cannot be read');
      return [];
    }
  }

  private add(list: unknown, source: string): void {
    for (const entry of Array.isArray(list) ? (list as Record<string, unknown>[]) : []) {
      const texts = (name: string) => (Array.isArray(entry?.[name]) ? (entry[name] as unknown[]).map(String) : []);
      const login = typeof entry?.login === 'string' ? entry.login : undefined;
      const suggestions = (name: string) => texts(name).flatMap((text) => readProvider(text, login) ?? []);
      const found: Suggestions = { source, mail: suggestions('mail'), transport: suggestions('transport') };
      for (const domain of texts('domains')) this.byDomain.set(domain.toLowerCase(), found);
    }
  }
}

function readProvider(text: string, login: string | undefined): Suggestion | undefined {
  const server = readConfiguredServer(text);
  if (!server) log.error({ text }, 'a server in a list of providers cannot be read');
  return server && { ...server, ...(login ? { login } : {}) };
}
