import { createPrivateKey } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  findSamlTenant,
  listSamlTenants,
  SAML_ACS_URL,
  SAML_DECRYPTION_CERTIFICATE,
  SAML_DECRYPTION_KEY,
  SAML_ENTITY_ID,
  SAML_IDP_CERTIFICATE,
  SAML_IDP_ENTITY_ID,
  SAML_IDP_LOGIN,
  SAML_IDP_LOGOUT,
  SAML_SIGNING_CERTIFICATE,
  SAML_SIGNING_KEY,
  SAML_SLS_URL,
  SamlErrors,
  type EdgeRequest,
  type SamlTenant,
} from '@groupware/contracts';
import { Properties } from '@groupware/service-kit';
import { SAML, ValidateInResponseTo, type CacheProvider } from '@node-saml/node-saml';

/** Difference of clocks that is allowed, ms. */
export const CLOCK_SKEW_MS = 60_000;

/** Turns a key of the configuration into what the library reads. */
const toPem = (key: string): string =>
  createPrivateKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'pkcs8' })
    .export({ format: 'pem', type: 'pkcs8' })
    .toString();

/** The tenants of the installation and their service providers. */
@Injectable()
export class SamlProvider {
  constructor(private readonly properties: Properties) {}

  /** The tenant that the path names, else that of the host. @throws SAML-0001 */
  require(name: string | undefined, edge: EdgeRequest): SamlTenant {
    const found = name ? this.findByName(name) : findSamlTenant(edge.host, this.properties);
    if (!found) throw SamlErrors.noTenant();
    return found;
  }

  /** An enabled tenant by name. */
  findByName(name: string): SamlTenant | undefined {
    return listSamlTenants(this.properties).find((tenant) => tenant.name === name);
  }

  /** The library, set up for a tenant. @param requests ids of requests under way; without: answers to no request are taken */
  configure(tenant: SamlTenant, options: { requests?: CacheProvider; requestId?: string } = {}): SAML {
    const signingKey = tenant.value(SAML_SIGNING_KEY);
    const decryptionKey = tenant.value(SAML_DECRYPTION_KEY);
    const signingCertificate = tenant.value(SAML_SIGNING_CERTIFICATE);
    const { requestId } = options;
    return new SAML({
      issuer: tenant.value(SAML_ENTITY_ID),
      audience: tenant.value(SAML_ENTITY_ID),
      callbackUrl: tenant.value(SAML_ACS_URL),
      entryPoint: tenant.value(SAML_IDP_LOGIN),
      idpIssuer: tenant.value(SAML_IDP_ENTITY_ID),
      idpCert: tenant
        .value(SAML_IDP_CERTIFICATE)
        .split(',')
        .map((certificate) => certificate.trim()),
      ...(tenant.value(SAML_IDP_LOGOUT) ? { logoutUrl: tenant.value(SAML_IDP_LOGOUT) } : {}),
      ...(tenant.value(SAML_SLS_URL) ? { logoutCallbackUrl: tenant.value(SAML_SLS_URL) } : {}),
      ...(signingKey ? { privateKey: toPem(signingKey) } : {}),
      ...(signingCertificate ? { publicCert: signingCertificate } : {}),
      ...(decryptionKey ? { decryptionPvk: toPem(decryptionKey) } : {}),
      signatureAlgorithm: 'sha256',
      digestAlgorithm: 'sha256',
      identifierFormat: null,
      disableRequestedAuthnContext: true,
      acceptedClockSkewMs: CLOCK_SKEW_MS,
      // One signature is needed, over the response or the assertion; what is read is what it covers.
      wantAssertionsSigned: false,
      wantAuthnResponseSigned: false,
      validateInResponseTo: options.requests ? ValidateInResponseTo.always : ValidateInResponseTo.never,
      ...(options.requests ? { cacheProvider: options.requests } : {}),
      ...(requestId === undefined ? {} : { generateUniqueId: () => requestId }),
    });
  }

  /** Metadata for the identity provider. Logouts are taken by both bindings, of which the library names one. */
  describe(tenant: SamlTenant): string {
    const metadata = this.configure(tenant).generateServiceProviderMetadata(
      tenant.value(SAML_DECRYPTION_CERTIFICATE) || null,
      tenant.value(SAML_SIGNING_CERTIFICATE) || null,
    );
    return metadata.replace(
      /<SingleLogoutService\b[^>]*\/>/,
      (byPost) => byPost.replace('HTTP-POST', 'HTTP-Redirect') + byPost,
    );
  }
}
