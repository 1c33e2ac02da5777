import { parseProperty, property, type Property } from '../kit';
import type { ServerTexts } from './oidc.properties';

const ROOT = 'com.example.saml';
const key = (name: string): string => `${ROOT}.${name}`;

/** Tenants besides the one of the plain keys. */
export const SAML_TENANTS = property<string>({
  key: key('tenants'),
  default: '',
  doc: 'Comma list of names of further tenants with identity providers of their own. Each value of one may be set as `com.example.saml.<name>.…` and is that of `com.example.saml.…` otherwise; its addresses are `/saml/<name>/…`.',
});

/** Whether logins by SAML are offered. */
export const SAML_ENABLED = property<boolean>({
  key: key('enabled'),
  default: false,
  doc: 'Offer logins by SAML 2.0.',
});

/** Hosts of a tenant. */
export const SAML_HOSTS = property<string>({
  key: key('hosts'),
  default: 'all',
  doc: 'Comma list of host names whose users log in here; `all`: every host that no other tenant names.',
});

/** Name of the product at the provider. */
export const SAML_ENTITY_ID = property<string>({
  key: key('entityID'),
  default: '',
  doc: 'Entity id of this product at the identity provider.',
});

/** Address at which assertions are taken. */
export const SAML_ACS_URL = property<string>({
  key: key('acsURL'),
  default: '',
  doc: 'Address to which the provider sends assertions: `https://<host><base path>/saml/<tenant>/acs`.',
});

/** Address at which logouts are taken. */
export const SAML_SLS_URL = property<string>({
  key: key('slsURL'),
  default: '',
  doc: 'Address of single logout: `https://<host><base path>/saml/<tenant>/sls`.',
});

/** The provider. */
export const SAML_IDP_ENTITY_ID = property<string>({
  key: key('idpEntityID'),
  default: '',
  doc: 'Entity id of the identity provider.',
});

/** Address of the provider for logins. */
export const SAML_IDP_LOGIN = property<string>({
  key: key('idpAuthnURL'),
  default: '',
  doc: 'Address of the provider for logins (HTTP-Redirect).',
});

/** Address of the provider for logouts. */
export const SAML_IDP_LOGOUT = property<string>({
  key: key('idpLogoutURL'),
  default: '',
  doc: 'Address of the provider for logouts (HTTP-Redirect).',
});

/** Whether logouts reach the provider. */
export const SAML_SINGLE_LOGOUT = property<boolean>({
  key: key('enableSingleLogout'),
  default: false,
  doc: 'A logout goes on to the provider, and those of the provider are taken.',
});

/** Whether metadata are answered. */
export const SAML_METADATA = property<boolean>({
  key: key('enableMetadataService'),
  default: false,
  doc: 'Answer metadata for the identity provider.',
});

/** Whether assertions are taken that no user asked for. */
export const SAML_UNSOLICITED = property<boolean>({
  key: key('allowUnsolicitedResponses'),
  default: false,
  doc: 'Take assertions that were not asked for, from portals. They cannot be bound to a browser: somebody may be logged in as somebody else.',
});

/** Whether browsers come back to their session. */
export const SAML_AUTOLOGIN = property<boolean>({
  key: key('enableAutoLogin'),
  default: false,
  doc: 'A browser with a live session comes back to it by a cookie at the next login, without the provider.',
});

/** Certificate of the provider. */
export const SAML_IDP_CERTIFICATE = property<string>({
  key: key('idpCertificate'),
  default: '',
  doc: 'Certificate of the provider, base64 as in its metadata; several, separated by commas, while it changes.',
});

/** Key for signatures. */
export const SAML_SIGNING_KEY = property<string>({
  key: key('signingKey'),
  default: '',
  doc: 'Private key by which requests are signed: PKCS #8, base64 without lines. Empty: requests are not signed.',
});

/** Certificate for signatures. */
export const SAML_SIGNING_CERTIFICATE = property<string>({
  key: key('signingCertificate'),
  default: '',
  doc: 'Certificate of the key for signatures, base64 without lines, for the metadata.',
});

/** Key for encrypted assertions. */
export const SAML_DECRYPTION_KEY = property<string>({
  key: key('decryptionKey'),
  default: '',
  doc: 'Private key for encrypted assertions: PKCS #8, base64 without lines. Empty: encrypted assertions are refused.',
});

/** Certificate for encrypted assertions. */
export const SAML_DECRYPTION_CERTIFICATE = property<string>({
  key: key('decryptionCertificate'),
  default: '',
  doc: 'Certificate of the key for encrypted assertions, base64 without lines, for the metadata.',
});

/** Attribute with the user. */
export const SAML_USER_ATTRIBUTE = property<string>({
  key: key('userLookupAttribute'),
  default: '',
  doc: 'Attribute that names the user; empty: the name of the subject.',
});

const NAME_PARTS = ['full', 'local-part', 'domain'] as const;

/** Part of the name that is the user. */
export const SAML_USER_PART = property<string>({
  key: key('userLookupNamePart'),
  default: 'local-part',
  values: NAME_PARTS,
  doc: 'Part of that name which is the login name: full, or what is before or behind its last @.',
});

/** Attribute with the context. */
export const SAML_CONTEXT_ATTRIBUTE = property<string>({
  key: key('contextLookupAttribute'),
  default: '',
  doc: 'Attribute that names the context by a login mapping; empty: the name of the subject.',
});

/** Part of the name that is the context. */
export const SAML_CONTEXT_PART = property<string>({
  key: key('contextLookupNamePart'),
  default: 'domain',
  values: NAME_PARTS,
  doc: 'Part of that name which is the login mapping; nothing there means the default mapping.',
});

/** Path of the web client. */
export const SAML_UI_PATH = property<string>({
  key: key('uiWebPath'),
  default: '',
  doc: 'Path of the web client after a login; default: `com.example.UIWebPath`.',
});

/** A tenant whose identity provider is set up. */
export interface SamlTenant {
  /** Empty for the one of the plain keys. */
  readonly name: string;
  readonly hosts: readonly string[];
  readonly enabled: boolean;
  /** A further value. */
  value<T extends string | number | boolean>(of: Property<T>): T;
}

const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);

function tenantOf(name: string, texts: ServerTexts): SamlTenant {
  const value = <T extends string | number | boolean>(of: Property<T>): T => {
    const text = name ? texts.serverText(`${ROOT}.${name}.${of.key.slice(ROOT.length + 1)}`) : undefined;
    const own = text === undefined ? undefined : parseProperty(of, text);
    return own === undefined ? texts.serverValue(of) : (own as T);
  };
  const needed = [SAML_ENTITY_ID, SAML_ACS_URL, SAML_IDP_ENTITY_ID, SAML_IDP_LOGIN, SAML_IDP_CERTIFICATE];
  return {
    name,
    hosts: listOf(value(SAML_HOSTS).toLowerCase()),
    enabled: value(SAML_ENABLED) && needed.every((each) => value(each) !== ''),
    value,
  };
}

/** The tenants that are enabled, that of the plain keys last. */
export function listSamlTenants(texts: ServerTexts): readonly SamlTenant[] {
  const names = listOf(texts.serverValue(SAML_TENANTS)).filter((name) => /^[\w-]{1,64}$/.test(name));
  return [...names, ''].map((name) => tenantOf(name, texts)).filter(({ enabled }) => enabled);
}

/** The tenant of a host, with or without port: one that names it before one for all. */
export function findSamlTenant(host: string, texts: ServerTexts): SamlTenant | undefined {
  const name = host.replace(/:\d+$/, '').toLowerCase();
  const tenants = listSamlTenants(texts);
  return tenants.find(({ hosts }) => hosts.includes(name)) ?? tenants.find(({ hosts }) => hosts.includes('all'));
}
