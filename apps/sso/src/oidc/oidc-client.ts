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
import { chooseAuthentication, Discovery } from '../web/discovery';
import { OutboundFetch } from '../web/outbound-fetch';

/** Difference of clocks that is allowed, seconds. */
export const CLOCK_SKEW_SECONDS = 60;

/** Makes clients of OpenID providers, whose calls go through the guard of outgoing connections. */
@Injectable()
export class OidcClient {
  constructor(
    private readonly outbound: OutboundFetch,
    private readonly discovery: Discovery,
  ) {}

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
      secret ? chooseAuthentication(metadata, secret) : client.None(),
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

  private async discover(backend: OidcBackend, issuer: string): Promise<client.ServerMetadata> {
    const provider = { name: `oidc ${backend.name}`, issuer, clientId: backend.value(OIDC_CLIENT_ID) };
    try {
      return await this.discovery.find({ ...provider, allowPlain: backend.value(OIDC_PLAIN) });
    } catch (cause) {
      throw OidcErrors.unreachable().with({ cause });
    }
  }
}

/** Maps an error of the library to one for people: the provider refused, was not there, or its answer is not valid. */
export function toOidcError(cause: unknown) {
  if (cause instanceof client.AuthorizationResponseError) return OidcErrors.refused().with({ cause });
  if (cause instanceof client.ResponseBodyError) return OidcErrors.noToken().with({ cause });
  const isNetwork = [cause, (cause as { cause?: unknown } | undefined)?.cause].some(
    (each) => each instanceof OutboundFailure,
  );
  return (isNetwork ? OidcErrors.noToken() : OidcErrors.badToken()).with({ cause });
}
