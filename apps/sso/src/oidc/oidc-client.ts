import { Injectable } from '@nestjs/common';
import {
  OIDC_ALGORITHM,
  OIDC_AUTHORIZATION_ENDPOINT,
  OIDC_CLIENT_ID,
  OIDC_CLIENT_SECRET,
  OIDC_ISSUER,
  OIDC_JWKS_ENDPOINT,
  OIDC_LOGOUT_ENDPOINT,
  OIDC_PLAIN,
  OIDC_TOKEN_ENDPOINT,
  OidcErrors,
  type OidcBackend,
} from '@groupware/contracts';
import { OutboundFailure } from '@groupware/outbound';
import * as client from 'openid-client';
import { OutboundFetch } from '../web/outbound-fetch';

/** How long what a provider says of itself is believed, ms. */
const METADATA_LIFE_MS = 600_000;
/** Difference of clocks that is allowed, seconds. */
export const CLOCK_SKEW_SECONDS = 60;

interface Known {
  readonly metadata: Promise<client.ServerMetadata>;
  readonly until: number;
  readonly key: string;
}

/** Makes clients of OpenID providers, whose calls go through the guard of outgoing connections. */
@Injectable()
export class OidcClient {
  private readonly known = new Map<string, Known>();

  constructor(private readonly outbound: OutboundFetch) {}

  /**
   * A client of the backend's provider. Its keys are read anew for each login, so that a provider may change them at any time.
   * @throws OIDC-0013 when the provider does not answer
   */
  async configure(backend: OidcBackend): Promise<client.Configuration> {
    const metadata = await this.readMetadata(backend);
    const secret = backend.value(OIDC_CLIENT_SECRET);
    const configuration = new client.Configuration(
      metadata,
      backend.value(OIDC_CLIENT_ID),
      {
        [client.clockTolerance]: CLOCK_SKEW_SECONDS,
        id_token_signed_response_alg: backend.value(OIDC_ALGORITHM),
      },
      secret ? this.chooseAuthentication(metadata, secret) : client.None(),
    );
    this.prepare(configuration, backend);
    // Signatures count, not only that the token came by TLS from the right host.
    client.enableNonRepudiationChecks(configuration);
    return configuration;
  }

  /** The library's fetch for a backend. */
  fetchFor(backend: OidcBackend): ReturnType<OutboundFetch['create']> {
    return this.outbound.create({ allowPlain: backend.value(OIDC_PLAIN) });
  }

  private prepare(configuration: client.Configuration, backend: OidcBackend): void {
    configuration[client.customFetch] = this.fetchFor(backend);
    if (backend.value(OIDC_PLAIN)) client.allowInsecureRequests(configuration);
  }

  private chooseAuthentication(
    { token_endpoint_auth_methods_supported: offered }: client.ServerMetadata,
    secret: string,
  ) {
    const isPost = offered?.includes('client_secret_post') && !offered.includes('client_secret_basic');
    return isPost ? client.ClientSecretPost(secret) : client.ClientSecretBasic(secret);
  }

  private async readMetadata(backend: OidcBackend): Promise<client.ServerMetadata> {
    const own = {
      issuer: backend.value(OIDC_ISSUER),
      authorization_endpoint: backend.value(OIDC_AUTHORIZATION_ENDPOINT),
      token_endpoint: backend.value(OIDC_TOKEN_ENDPOINT),
      jwks_uri: backend.value(OIDC_JWKS_ENDPOINT),
      end_session_endpoint: backend.value(OIDC_LOGOUT_ENDPOINT),
    };
    const given = Object.fromEntries(Object.entries(own).filter(([, address]) => address)) as typeof own;
    if (given.authorization_endpoint && given.token_endpoint && given.jwks_uri) return given;
    return { ...(await this.discover(backend, own.issuer)), ...given };
  }

  private discover(backend: OidcBackend, issuer: string): Promise<client.ServerMetadata> {
    const key = `${issuer} ${backend.value(OIDC_PLAIN)}`;
    const now = Date.now();
    const former = this.known.get(backend.name);
    if (former?.key === key && former.until > now) return former.metadata;
    const metadata = this.ask(backend, issuer);
    const entry = { metadata, until: now + METADATA_LIFE_MS, key };
    this.known.set(backend.name, entry);
    metadata.catch(() => this.known.get(backend.name) === entry && this.known.delete(backend.name));
    return metadata;
  }

  private async ask(backend: OidcBackend, issuer: string): Promise<client.ServerMetadata> {
    try {
      const found = await client.discovery(new URL(issuer), backend.value(OIDC_CLIENT_ID), undefined, client.None(), {
        [client.customFetch]: this.fetchFor(backend),
        execute: backend.value(OIDC_PLAIN) ? [client.allowInsecureRequests] : [],
      });
      return found.serverMetadata();
    } catch (cause) {
      throw OidcErrors.unreachable().with({ cause });
    }
  }
}

/** What an error of the library is for people: the provider refused, was not there, or its answer is not valid. */
export function toOidcError(cause: unknown) {
  if (cause instanceof client.AuthorizationResponseError) return OidcErrors.refused().with({ cause });
  if (cause instanceof client.ResponseBodyError) return OidcErrors.noToken().with({ cause });
  const isNetwork = [cause, (cause as { cause?: unknown } | undefined)?.cause].some(
    (each) => each instanceof OutboundFailure,
  );
  return (isNetwork ? OidcErrors.noToken() : OidcErrors.badToken()).with({ cause });
}
