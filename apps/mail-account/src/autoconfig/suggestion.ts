import type { ServerAddress } from '../domain/server-address';

/** A server suggested by a source. */
export interface Suggestion extends ServerAddress {
  /** Login with placeholders of the autoconfig format, such as `%EMAILADDRESS%`. */
  readonly login?: string;
}

/** Suggestions of one source, best first. */
export interface Suggestions {
  readonly source: string;
  readonly mail: readonly Suggestion[];
  readonly transport: readonly Suggestion[];
  /** True for guessed servers: they count only when they answer. */
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
/** Sorts IMAP before POP3 and encrypted before clear text; `forceSecure` drops the latter. */
export function sortSuggestions(suggestions: readonly Suggestion[], forceSecure: boolean): Suggestion[] {
  const rank = (each: Suggestion) => (isSecure(each) ? 0 : 10) + Math.max(0, MAIL_ORDER.indexOf(each.protocol));
  return suggestions.filter((each) => !forceSecure || isSecure(each)).sort((a, b) => rank(a) - rank(b));
}

/** Lists logins to try: that of the source, else the address, then its local part. */
export function listLogins({ login }: Suggestion, { address, local, domain }: AddressParts): string[] {
  if (!login) return [address, local];
  return [
    login
      .replaceAll('%EMAILADDRESS%', address)
      .replaceAll('%EMAILLOCALPART%', local)
      .replaceAll('%EMAILDOMAIN%', domain),
  ];
}

/** Parses `imap+starttls:143`; undefined for other texts. */
export function parseGuess(text: string): Omit<Suggestion, 'host'> | undefined {
  const match = /^(imap|pop3|smtp)(s?)(\+starttls)?:(\d{1,5})$/.exec(text.trim());
  if (!match) return undefined;
  return { protocol: match[1]!, secure: match[2] === 's', starttls: Boolean(match[3]), port: Number(match[4]) };
}
