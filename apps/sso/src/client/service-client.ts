import { Injectable } from '@nestjs/common';
import { OAuthErrors } from '@groupware/contracts';
import { OutboundFailure } from '@groupware/outbound';
import * as client from 'openid-client';
import { CLOCK_SKEW_SECONDS } from '../oidc/oidc-client';
import { chooseAuthentication, Discovery } from '../web/discovery';
import { OutboundFetch } from '../web/outbound-fetch';
import type { OAuthService } from './oauth-services';

/** Longest text that identifies a user at a service. */
const MAX_IDENTITY_LENGTH = 512;

/** Makes clients of services elsewhere, whose calls go through the guard of outgoing connections. */
@Injectable()
export class ServiceClient {
  constructor(
    private readonly outbound: OutboundFetch,
    private readonly discovery: Discovery,
  ) {}

  /** A client of a service. @throws OAUTH-0018 when it does not say where its endpoints are */
  async configure(service: OAuthService): Promise<client.Configuration> {
    const metadata = await this.readMetadata(service);
    const configuration = new client.Configuration(
      metadata,
      service.clientId,
      { [client.clockTolerance]: CLOCK_SKEW_SECONDS },
      chooseAuthentication(metadata, service.clientSecret),
    );
    configuration[client.customFetch] = this.outbound.create(service);
    if (service.allowPlain) client.allowInsecureRequests(configuration);
    return configuration;
  }

  /** Reads the identity of the user who granted access. @throws what {@link toServiceError} takes */
  async readIdentity(
    service: OAuthService,
    configuration: client.Configuration,
    tokens: client.TokenEndpointResponse & client.TokenEndpointResponseHelpers,
  ): Promise<string> {
    const claims: unknown = tokens.claims() ?? (await this.readUserInfo(configuration, tokens.access_token));
    const value = (claims as Readonly<Record<string, unknown>>)[service.identityField];
    const identity = typeof value === 'number' ? String(value) : value;
    if (typeof identity !== 'string' || identity === '' || identity.length > MAX_IDENTITY_LENGTH)
      throw OAuthErrors.invalidResponse(service.displayName);
    return identity;
  }

  private async readUserInfo(configuration: client.Configuration, token: string): Promise<object> {
    const { userinfo_endpoint: endpoint } = configuration.serverMetadata();
    if (!endpoint) return {};
    const answer = await client.fetchProtectedResource(configuration, token, new URL(endpoint), 'GET');
    const facts: unknown = answer.ok ? await answer.json() : undefined;
    return typeof facts === 'object' && facts !== null ? facts : {};
  }

  private async readMetadata(service: OAuthService): Promise<client.ServerMetadata> {
    const own = {
      authorization_endpoint: service.authorizationEndpoint,
      token_endpoint: service.tokenEndpoint,
      userinfo_endpoint: service.userInfoEndpoint,
      revocation_endpoint: service.revocationEndpoint,
    };
    const given = Object.fromEntries(Object.entries(own).filter(([, address]) => address));
    // The library wants an issuer; services without OpenID have none that would appear anywhere.
    if (!service.issuer) return { ...given, issuer: new URL(service.authorizationEndpoint).origin };
    try {
      const { issuer, clientId, allowPlain } = service;
      return { ...(await this.discovery.find({ name: service.id, issuer, clientId, allowPlain })), ...given };
    } catch (cause) {
      throw OAuthErrors.connectFailed(service.displayName).with({ cause });
    }
  }
}

/** Maps an error of the library to one for people: the service was not there, or its answer is not valid. */
export function toServiceError(cause: unknown, { displayName }: OAuthService) {
  const isNetwork = [cause, (cause as { cause?: unknown } | undefined)?.cause].some(
    (each) => each instanceof OutboundFailure,
  );
  return (isNetwork ? OAuthErrors.connectFailed(displayName) : OAuthErrors.invalidResponse(displayName)).with({
    cause,
  });
}

/** Whether a service says that a grant is over, for good. */
export const isGrantEnded = (error: unknown): boolean =>
  error instanceof client.ResponseBodyError && error.error === 'invalid_grant';
