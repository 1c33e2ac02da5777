import { Injectable } from '@nestjs/common';
import {
  OAUTH_PLAIN,
  OAUTH_SERVICE_SCOPES,
  OAUTH_SERVICES,
  OAuthErrors,
  oauthServiceEnabled,
  type OAuthServiceMetaData,
} from '@groupware/contracts';
import { Properties } from '@groupware/service-kit';

const ROOT = 'com.example.oauth';
/** Names after `com.example.oauth.` that are no services. */
const RESERVED: ReadonlySet<string> = new Set(['provider', 'services', 'allowPlain', 'callbackUrl', 'maxAccounts']);

/** A service elsewhere, as the operator describes it. */
export interface OAuthService {
  readonly name: string;
  readonly id: string;
  readonly displayName: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Of an OpenID provider; empty where the endpoints are given. */
  readonly issuer: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly userInfoEndpoint: string;
  readonly revocationEndpoint: string;
  /** Name of the value that says who an account belongs to at the service. */
  readonly identityField: string;
  /** Further parameters of the request for access. */
  readonly parameters: URLSearchParams;
  /** Hosts that tokens may be shown to, besides the service. */
  readonly mailServers: readonly string[];
  /** The service's scopes by ours. */
  readonly scopes: ReadonlyMap<string, readonly string[]>;
  readonly allowPlain: boolean;
}

/** The user for whom a service is looked for. */
export interface ServiceUser {
  readonly contextId: number;
  readonly userId: number;
}

const wordsOf = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

/** Id of a service on the API. */
export const toServiceId = (name: string): string => `${ROOT}.${name}`;

/** The services elsewhere that the operator set up. */
@Injectable()
export class OAuthServices {
  constructor(private readonly properties: Properties) {}

  /** Those that are switched on for a user. */
  async list(user: ServiceUser): Promise<OAuthService[]> {
    const services = wordsOf(this.properties.serverValue(OAUTH_SERVICES)).flatMap((name) => this.read(name) ?? []);
    const offers = await Promise.all(services.map(({ name }) => this.isEnabled(name, user)));
    return services.filter((_service, index) => offers[index]);
  }

  /** One by its id. @throws OAUTH-0004 when it is unknown or not switched on for the user */
  async require(id: string, user: ServiceUser): Promise<OAuthService> {
    const found = (await this.list(user)).find((service) => service.id === id);
    if (!found) throw OAuthErrors.unknownService(id);
    return found;
  }

  private isEnabled(name: string, { contextId, userId }: ServiceUser): Promise<boolean> {
    return this.properties.get(oauthServiceEnabled(name), { contextId, userId });
  }

  /** Reads what the operator says of a service; undefined when that is not enough to use it. */
  private read(name: string): OAuthService | undefined {
    if (!/^[\w-]{1,64}$/.test(name) || RESERVED.has(name)) return undefined;
    const text = (key: string): string => this.properties.serverText(`${ROOT}.${name}.${key}`)?.trim() ?? '';
    const service = {
      name,
      id: toServiceId(name),
      displayName: text('displayName') || name,
      clientId: text('apiKey'),
      clientSecret: text('apiSecret'),
      issuer: text('issuer'),
      authorizationEndpoint: text('authorizationEndpoint'),
      tokenEndpoint: text('tokenEndpoint'),
      userInfoEndpoint: text('userInfoEndpoint'),
      revocationEndpoint: text('revocationEndpoint'),
      identityField: text('identityField') || 'sub',
      parameters: new URLSearchParams(text('authorizationParameters')),
      mailServers: wordsOf(text('mailServers').toLowerCase()),
      scopes: new Map(
        OAUTH_SERVICE_SCOPES.flatMap((scope) => {
          const mapped = wordsOf(text(`scopes.${scope}`));
          return mapped.length > 0 ? [[scope, mapped] as const] : [];
        }),
      ),
      allowPlain: this.properties.serverValue(OAUTH_PLAIN),
    };
    // Without a way to learn who granted it, access could be renewed for an account of another user.
    const isComplete =
      service.issuer || (service.authorizationEndpoint && service.tokenEndpoint && service.userInfoEndpoint);
    return service.clientId && service.clientSecret && isComplete ? service : undefined;
  }
}

/** A service as clients see it. */
export const toMetaData = ({ id, displayName, scopes }: OAuthService): OAuthServiceMetaData => ({
  id,
  displayName,
  availableScopes: [...scopes.keys()],
});
