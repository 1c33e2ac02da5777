import {
  OIDC_CONTEXT_CLAIM,
  OIDC_CONTEXT_PART,
  OIDC_PROVISIONING,
  OIDC_USER_CLAIM,
  OIDC_USER_PART,
  type OidcBackend,
  type SignOnUserQuery,
} from '@groupware/contracts';

const asText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= 1024 ? value : undefined;

/** The wanted part of a name such as `ann@example.com`; without @ all of it is the local part. */
export function namePart(text: string, part: string): string {
  const at = text.lastIndexOf('@');
  if (part === 'local-part') return at < 0 ? text : text.slice(0, at);
  if (part === 'domain') return at < 0 ? '' : text.slice(at + 1);
  return text;
}

/** User whom the claims of a provider name; undefined when they name none. */
export function userOfClaims(
  backend: OidcBackend,
  claims: Readonly<Record<string, unknown>>,
): SignOnUserQuery | undefined {
  const user = asText(claims[backend.value(OIDC_USER_CLAIM)]);
  const context = asText(claims[backend.value(OIDC_CONTEXT_CLAIM)]);
  if (user === undefined || context === undefined) return undefined;
  const name = namePart(user, backend.value(OIDC_USER_PART));
  if (name === '') return undefined;
  // An address that the provider says is not confirmed could be anybody's.
  const email = claims.email_verified === false ? undefined : asText(claims.email);
  const details = {
    email,
    givenName: asText(claims.given_name),
    surname: asText(claims.family_name),
    displayName: asText(claims.name),
  };
  return {
    user: name,
    mapping: namePart(context, backend.value(OIDC_CONTEXT_PART)),
    isProvisioned: backend.value(OIDC_PROVISIONING),
    ...Object.fromEntries(Object.entries(details).filter(([, text]) => text !== undefined)),
  };
}
