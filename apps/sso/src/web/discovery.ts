import { Injectable } from '@nestjs/common';
import * as client from 'openid-client';
import { OutboundFetch } from './outbound-fetch';

/** How long what a provider says of itself is believed, ms. */
const METADATA_LIFE_MS = 600_000;

interface Known {
  readonly metadata: Promise<client.ServerMetadata>;
  readonly until: number;
  readonly key: string;
}

/** A provider that is asked. */
export interface DiscoveredProvider {
  /** Name that it is kept under: one of each. */
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly allowPlain: boolean;
}

/** Asks providers what they say of themselves (`.well-known/openid-configuration`), and keeps it for a while. */
@Injectable()
export class Discovery {
  private readonly known = new Map<string, Known>();

  constructor(private readonly outbound: OutboundFetch) {}

  /** Finds what a provider says of itself. Rejects when it does not answer. */
  find(provider: DiscoveredProvider): Promise<client.ServerMetadata> {
    const { name, issuer, allowPlain } = provider;
    const key = `${issuer} ${allowPlain}`;
    const now = Date.now();
    const former = this.known.get(name);
    if (former?.key === key && former.until > now) return former.metadata;
    const metadata = this.ask(provider);
    const entry = { metadata, until: now + METADATA_LIFE_MS, key };
    this.known.set(name, entry);
    metadata.catch(() => this.known.get(name) === entry && this.known.delete(name));
    return metadata;
  }

  private async ask({ issuer, clientId, allowPlain }: DiscoveredProvider): Promise<client.ServerMetadata> {
    const found = await client.discovery(new URL(issuer), clientId, undefined, client.None(), {
      [client.customFetch]: this.outbound.create({ allowPlain }),
      execute: allowPlain ? [client.allowInsecureRequests] : [],
    });
    return found.serverMetadata();
  }
}

/** How to show the secret to the provider: in the way that it offers, else in that of the RFC. */
export function chooseAuthentication(
  { token_endpoint_auth_methods_supported: offered }: client.ServerMetadata,
  secret: string,
): client.ClientAuth {
  const isPost = offered?.includes('client_secret_post') && !offered.includes('client_secret_basic');
  return isPost ? client.ClientSecretPost(secret) : client.ClientSecretBasic(secret);
}
