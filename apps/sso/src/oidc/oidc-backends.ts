import { Injectable } from '@nestjs/common';
import {
  findOidcBackend,
  listOidcBackends,
  OIDC_POST_LOGOUT_URI,
  OIDC_REDIRECT_URI,
  OidcErrors,
  type EdgeRequest,
  type OidcBackend,
} from '@groupware/contracts';
import { BasePathSettings, Properties } from '@groupware/service-kit';

/** The OpenID providers of the installation, and the addresses under which they know it. */
@Injectable()
export class OidcBackends {
  constructor(
    private readonly properties: Properties,
    private readonly base: BasePathSettings,
  ) {}

  /** The backend that the path names, else that of the host. @throws OIDC-0021 */
  require(name: string | undefined, edge: EdgeRequest): OidcBackend {
    const found = name ? this.findByName(name) : findOidcBackend(edge.host, this.properties);
    if (!found) throw OidcErrors.noBackend();
    return found;
  }

  /** An enabled backend by name. */
  findByName(name: string): OidcBackend | undefined {
    return listOidcBackends(this.properties).find((backend) => backend.name === name);
  }

  /** Address to which the provider sends browsers back after a login. */
  redirectUri(backend: OidcBackend, edge: EdgeRequest): string {
    return backend.value(OIDC_REDIRECT_URI) || this.addressOf(backend, 'auth', edge);
  }

  /** Address to which the provider sends browsers back after a logout. */
  postLogoutUri(backend: OidcBackend, edge: EdgeRequest): string {
    return backend.value(OIDC_POST_LOGOUT_URI) || this.addressOf(backend, 'logout', edge);
  }

  /** Path of the login module, for redirects within this host. */
  get loginPath(): string {
    return `${this.base.basePaths()[0] ?? ''}/login`;
  }

  private addressOf({ name }: OidcBackend, step: string, edge: EdgeRequest): string {
    const origin = `${edge.secure ? 'https' : 'http'}://${edge.host}`;
    return `${origin}${this.base.basePaths()[0] ?? ''}/oidc/${name ? `${name}/` : ''}${step}`;
  }
}
