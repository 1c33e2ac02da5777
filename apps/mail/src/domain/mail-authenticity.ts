import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import type { MailAddress, MailAuthenticity, MailMechanismResult, UnconsideredMailResult } from '@groupware/contracts';
import { getDomain } from 'tldts';
import { parseAuthenticationResults, type AuthenticationResult } from './authentication-results';

/** Headers that are looked at. */
const MAX_HEADERS = 50;
/** Results that are told without being considered. */
const MAX_UNCONSIDERED = 100;
/** Properties that name the domain of a result, the first that is there counts. */
const DOMAIN_PROPERTIES = {
  dmarc: ['header.from'],
  dkim: ['header.d', 'header.i'],
  spf: ['smtp.mailfrom', 'smtp.helo'],
} as const;
const CLIENT_PROPERTIES = ['smtp.remote-ip', 'smtp.client-ip'];

type Mechanism = keyof typeof DOMAIN_PROPERTIES;

/** Conditions under which a mail is authentic, and its author trusted. */
export interface AuthenticityRules {
  /** Patterns of ids of servers. */
  readonly authServIds: readonly string[];
  /** Mails received earlier are not examined, ms UTC. */
  readonly threshold: number;
  /** Patterns of addresses, and the names of their pictures, which may be empty. */
  readonly trusted: readonly { readonly pattern: string; readonly image: string }[];
}

/** Facts that the authenticity of a mail is read from. */
export interface AuthenticityFacts {
  readonly from: readonly MailAddress[];
  /** Headers Authentication-Results, topmost first. */
  readonly results: readonly string[];
  readonly received: Date | string | undefined;
}

/** A result with what its domain says about the author. */
interface JudgedResult {
  readonly source: AuthenticationResult;
  readonly shown: MailMechanismResult;
  /** It is about the domain of the author; undefined where it names none. */
  readonly isAligned: boolean | undefined;
}

/** Rules as properties have them. */
export function toAuthenticityRules(authServIds: string, threshold: number, trusted: string): AuthenticityRules {
  return {
    authServIds: splitList(authServIds),
    threshold,
    trusted: splitList(trusted).map((entry) => {
      const [pattern = '', image = ''] = entry.split(':').map((text) => text.trim());
      return { pattern, image };
    }),
  };
}

const splitList = (text: string): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);

/** Whether the author of a mail is who it says, by what trusted servers found. */
export function judgeAuthenticity(facts: AuthenticityFacts, rules: AuthenticityRules): MailAuthenticity {
  const { from, received } = facts;
  if (received !== undefined && new Date(received).getTime() < rules.threshold)
    return { status: 'not_analyzed', trusted: false };
  const [author] = from;
  const address = from.length === 1 ? author![1].toLowerCase() : '';
  const domain = toDomain(address);
  if (!domain || !address.includes('@')) return { status: 'neutral', trusted: false };

  const headers = listTrusted(facts.results, rules.authServIds);
  const [dmarc, dkim, spf] = (['dmarc', 'dkim', 'spf'] as const).map((each) => choose(headers, each, domain));
  const considered = [dmarc, dkim, spf].flatMap((each) => (each ? [each.source] : []));
  const status = judge(dmarc, dkim, spf);
  const sender = status === 'pass' ? rules.trusted.find(({ pattern }) => matchesPattern(pattern, address)) : undefined;
  const isMismatch = status !== 'pass' && [dkim, spf].some((each) => each?.source.result === 'pass');
  return {
    status,
    trusted: sender !== undefined,
    ...(sender?.image ? { image: sender.image } : {}),
    from_domain: domain,
    ...(isMismatch ? { domain_mismatch: true } : {}),
    ...(spf ? { spf: spf.shown } : {}),
    ...(dkim ? { dkim: dkim.shown } : {}),
    ...(dmarc ? { dmarc: dmarc.shown } : {}),
    unconsidered_results: headers
      .flat()
      .filter((result) => !considered.includes(result))
      .slice(0, MAX_UNCONSIDERED)
      .map(toUnconsidered),
  };
}

/** DMARC decides, else signatures, else the server that sent it; what another domain than that of the author passed says nothing. */
function judge(dmarc?: JudgedResult, dkim?: JudgedResult, spf?: JudgedResult): MailAuthenticity['status'] {
  if (!dmarc && !dkim && !spf) return 'none';
  if (dmarc?.source.result === 'pass' && dmarc.isAligned !== false) return 'pass';
  if (dmarc?.source.result === 'fail') return 'fail';
  if (dkim && passes(dkim)) return 'pass';
  if (dkim && fails(dkim)) return 'fail';
  if (spf && passes(spf)) return 'pass';
  return spf && fails(spf) ? 'fail' : 'neutral';
}

const passes = ({ source, isAligned }: JudgedResult): boolean => source.result === 'pass' && isAligned === true;
const fails = ({ source, isAligned }: JudgedResult): boolean =>
  source.result === 'hardfail' || (source.result === 'fail' && (source.method === 'spf' || isAligned !== false));

/**
 * Results of the topmost headers of trusted servers, by header. What stands below the header of another server was there before
 * the mail reached those that are trusted.
 */
function listTrusted(headers: readonly string[], patterns: readonly string[]): AuthenticationResult[][] {
  const isTrusted = (id: string) => patterns.some((pattern) => matchesPattern(pattern, id));
  const found: AuthenticationResult[][] = [];
  for (const header of headers.slice(0, MAX_HEADERS)) {
    const results = parseAuthenticationResults(header, isTrusted);
    if (results) found.push(results);
    else if (found.length > 0) break;
  }
  return found;
}

/** The result of a mechanism that counts: of the topmost header that has one, and the one that decides. */
function choose(
  headers: readonly (readonly AuthenticationResult[])[],
  mechanism: Mechanism,
  domain: string,
): JudgedResult | undefined {
  const isMeant = ({ method }: AuthenticationResult) => method === mechanism;
  const results = headers.find((header) => header.some(isMeant)) ?? [];
  const judged = results.filter(isMeant).map((source): JudgedResult => {
    const shown = toShown(source);
    return {
      source,
      shown,
      isAligned: shown.domain === undefined ? undefined : isSameOrganization(shown.domain, domain),
    };
  });
  return judged.find(passes) ?? judged.find(fails) ?? judged[0];
}

function toShown(source: AuthenticationResult): MailMechanismResult {
  const { method, result, reason, properties } = source;
  const domain = (Object.hasOwn(DOMAIN_PROPERTIES, method) ? DOMAIN_PROPERTIES[method as Mechanism] : [])
    .map((name) => toDomain(properties.get(name) ?? ''))
    .find(Boolean);
  const client = method === 'spf' ? findClient(source) : undefined;
  return {
    result,
    ...(domain ? { domain } : {}),
    ...(client ? { client_ip: client } : {}),
    ...(reason ? { reason } : {}),
  };
}

const toUnconsidered = (source: AuthenticationResult): UnconsideredMailResult => ({
  mechanism: source.method,
  ...toShown(source),
});

/** The address of the server that sent a mail: as a property, or as comments have it. */
function findClient({ properties, reason }: AuthenticationResult): string | undefined {
  const named = CLIENT_PROPERTIES.map((name) => properties.get(name) ?? '');
  return [...named, ...reason.split(/[\s=,;[\]]+/)].find((word) => isIP(word) !== 0);
}

/** The domain of an address, or one that stands alone; lower case. */
const toDomain = (address: string): string =>
  address
    .slice(address.lastIndexOf('@') + 1)
    .replace(/^<|[>.]$/g, '')
    .toLowerCase();

/** Whether domains belong to one organization (RFC 7489 §3.1: relaxed alignment). */
const isSameOrganization = (one: string, other: string): boolean => toOrganization(one) === toOrganization(other);

function toOrganization(domain: string): string {
  const ascii = (/^[\p{L}\p{M}\p{N}.-]+$/u.test(domain) && domainToASCII(domain)) || domain;
  return getDomain(ascii, { allowPrivateDomains: true, extractHostname: false }) ?? ascii;
}

/** Whether a text fits a pattern in which * stands for any characters; the case of letters is the same. */
function matchesPattern(pattern: string, text: string): boolean {
  const whole = text.toLowerCase();
  const [first = '', ...rest] = pattern.toLowerCase().split('*');
  const last = rest.pop();
  if (last === undefined) return whole === first;
  const end = whole.length - last.length;
  if (first.length > end || !whole.startsWith(first) || !whole.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = whole.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
