import type { Profile } from '@node-saml/node-saml';

/** Conditions that an assertion must fit. */
export interface ExpectedAssertion {
  /** Address at which it was taken. */
  readonly recipient: string;
  readonly issuer: string;
  /** The request that it answers; undefined where there was none. */
  readonly requestId: string | undefined;
  readonly nowMs: number;
  readonly skewMs: number;
}

/** Facts that are read of an assertion besides the profile. */
export interface AssertionFacts {
  readonly id: string;
  readonly issuer: string;
  /** When the last of its confirmations ends, ms UTC. */
  readonly validUntil: number;
}

/** Elements as the library parses them. */
interface Parsed {
  readonly $?: Readonly<Record<string, string>>;
  readonly [name: string]: unknown;
}

const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';

const childrenOf = (element: Parsed | undefined, name: string): Parsed[] => {
  const found = element?.[name];
  return Array.isArray(found) ? (found as Parsed[]) : [];
};

/**
 * Checks what the library leaves to its users (SAML profiles, section 4.1.4.3): issuer, a bearer confirmation for this address, this
 * request and now, and a statement of the login that has not ended. Undefined for an assertion that does not fit. What is read here is
 * what the signature covers.
 */
export function readAssertion(profile: Profile, expected: ExpectedAssertion): AssertionFacts | undefined {
  const document = profile.getAssertion?.();
  const assertion = document?.Assertion as Parsed | undefined;
  const id = assertion?.$?.ID;
  const { nowMs, skewMs } = expected;
  if (!id || profile.issuer !== expected.issuer || !profile.nameID) return undefined;
  const confirmations = childrenOf(childrenOf(assertion, 'Subject')[0], 'SubjectConfirmation').flatMap(
    (confirmation) => {
      const data = childrenOf(confirmation, 'SubjectConfirmationData')[0]?.$;
      const end = Date.parse(data?.NotOnOrAfter ?? '');
      const fits =
        confirmation.$?.Method === BEARER &&
        data?.Recipient === expected.recipient &&
        data.InResponseTo === expected.requestId &&
        nowMs - skewMs < end;
      return fits ? [end] : [];
    },
  );
  const [statement] = childrenOf(assertion, 'AuthnStatement');
  if (confirmations.length === 0 || !statement || childrenOf(assertion, 'Conditions').length !== 1) return undefined;
  const sessionEnd = statement.$?.SessionNotOnOrAfter;
  if (sessionEnd !== undefined && !(nowMs - skewMs < Date.parse(sessionEnd))) return undefined;
  return { id, issuer: expected.issuer, validUntil: Math.max(...confirmations) };
}
