import { Injectable } from '@nestjs/common';
import {
  AUTOLOGIN,
  findOidcBackend,
  findSamlTenant,
  hasOidcAutologin,
  type ServerConfig,
  type UserPrincipal,
} from '@groupware/contracts';
import { AnnouncedCapabilities, BUILD_DATE, Properties, VERSION } from '@groupware/service-kit';
import { ClientFile } from './configuration/client-file';
import { mergeTrees } from './domain/tree';

const PRODUCT_NAME = 'Groupware';

/** Languages that clients offer where operators name none. */
const LANGUAGES = ['de_DE', 'en_GB', 'en_US', 'es_ES', 'fr_FR', 'it_IT', 'ja_JP', 'nl_NL', 'pl_PL'];

/** A language in its own words, such as `Deutsch (Deutschland)`. */
function describeLanguage(id: string): string {
  const tag = id.replace('_', '-');
  return new Intl.DisplayNames(tag, { type: 'language', languageDisplay: 'standard' }).of(tag) ?? id;
}

/** Builds what clients must know of the server (API page "Client behaviour", 2.2). */
@Injectable()
export class ServerConfiguration {
  private readonly languages = Object.fromEntries(LANGUAGES.map((id) => [id, describeLanguage(id)]));

  constructor(
    private readonly file: ClientFile,
    private readonly properties: Properties,
    private readonly announced: AnnouncedCapabilities,
  ) {}

  /** Address at which the login page of a host begins a single sign-on: it adds `/init?flow=login&redirect=true`. */
  private describeSignOn(host: string): object {
    const oidc = findOidcBackend(host, this.properties);
    const saml = findSamlTenant(host, this.properties);
    return {
      ...(oidc ? { oidcLogin: true, oidcPath: `/oidc${oidc.name ? `/${oidc.name}` : ''}` } : {}),
      ...(saml ? { samlLogin: true, samlPath: `/saml${saml.name ? `/${saml.name}` : ''}` } : {}),
    };
  }

  /**
   * The configuration for a host.
   * @param user absent: for the login page
   */
  build(host: string, user?: Pick<UserPrincipal, 'capabilities' | 'hasMailServer'>): ServerConfig {
    const autologin = this.properties.serverValue(AUTOLOGIN) && !hasOidcAutologin(host, this.properties);
    const base = {
      manifests: [],
      languages: this.languages,
      productName: PRODUCT_NAME,
      pageTitle: PRODUCT_NAME,
      pageHeader: PRODUCT_NAME,
      pageHeaderPrefix: '',
      copyright: '',
      contact: '',
      forgotPassword: false,
      staySignedIn: autologin,
      autoLogin: autologin,
      ...this.describeSignOn(host),
    };
    const ids = user ? this.announced.list(user) : autologin ? ['autologin'] : [];
    return {
      ...base,
      ...mergeTrees(base, this.file.serverConfigOf(host)),
      version: VERSION,
      revision: VERSION,
      serverVersion: VERSION,
      buildDate: BUILD_DATE,
      // No operator promises what this user may not do.
      capabilities: ids.map((id) => ({ id, attributes: {} })),
    };
  }
}
