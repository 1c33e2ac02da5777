import type { ServerAddress } from '../domain/server-address';

/** A server that some source names for a domain. */
export interface Suggestion extends ServerAddress {
  /** Login with the places of the published format, such as `%EMAILADDRESS%`. */
  readonly login?: string;
}

/** What one source knows of a domain, the best first. */
export interface Suggestions {
  readonly source: string;
  readonly mail: readonly Suggestion[];
  readonly transport: readonly Suggestion[];
  /** True when servers were only guessed: they count when they answer. */
  readonly guessed?: boolean;
}

/** A mail address in its parts; the domain as punycode in lower case. */
export interface AddressParts {
  readonly address: string;
  readonly local: string;
  readonly domain: string;
}

/** True when the connection is encrypted in any case. */
export const isSecure = ({ secure, starttls }: ServerAddress): boolean => secure || starttls;

const MAIL_ORDER = ['imap', 'pop3'];
/** IMAP before POP3; encrypted before clear text, which is left out when only encrypted connections are wanted. */
export function ordered(suggestions: readonly Suggestion[], forceSecure: boolean): Suggestion[] {
  const rank = (each: Suggestion) => (isSecure(each) ? 0 : 10) + Math.max(0, MAIL_ORDER.indexOf(each.protocol));
  return suggestions.filter((each) => !forceSecure || isSecure(each)).sort((a, b) => rank(a) - rank(b));
}

/** Logins to try: the one the source names, else the whole address, then its local part. */
export function loginsFor({ login }: Suggestion, { address, local, domain }: AddressParts): string[] {
  if (!login) return [address, local];
  return [
    login
      .replaceAll('%EMAILADDRESS%', address)
      .replaceAll('%EMAILLOCALPART%', local)
      .replaceAll('%EMAILDOMAIN%', domain),
  ];
}

/** Reads `imap+starttls:143`; undefined when it is something else. */
export function readGuess(text: string): Omit<Suggestion, 'host'> | undefined {
  const match = /^(imap|pop3|smtp)(s?)(\+starttls)?:(\d{1,5})$/.exec(text.trim());
  if (!match) return undefined;
  return { protocol: match[1]!, secure: match[2] === 's', starttls: Boolean(match[3]), port: Number(match[4]) };
}
