import { createHash } from 'node:crypto';
import type { OnboardingType } from '@groupware/contracts';

/** Facts of a profile. */
export interface ProfileFacts {
  readonly type: OnboardingType;
  /** Host, with its port where that is not 443. */
  readonly host: string;
  readonly login: string;
  readonly displayName: string;
  readonly email: string;
  /** Name of the product. */
  readonly product: string;
}

type Value = string | number | boolean | readonly Dictionary[];
type Dictionary = Readonly<Record<string, Value>>;

const HTTPS = 443;
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
// XML 1.0 knows no control characters but these three.
const UNKNOWN = /(?![\t\r\n])\p{Cc}|[\ufffe\uffff]/gu;
const escapeXml = (text: string): string => text.replace(UNKNOWN, '').replace(/[&<>"]/g, (each) => ESCAPES[each]!);

function toPlistValue(value: Value): string {
  if (typeof value === 'string') return `<string>${escapeXml(value)}</string>`;
  if (typeof value === 'number') return `<integer>${value}</integer>`;
  if (typeof value === 'boolean') return value ? '<true/>' : '<false/>';
  return `<array>${value.map(toPlistDictionary).join('')}</array>`;
}

const toPlistDictionary = (entries: Dictionary): string =>
  `<dict>${Object.entries(entries)
    .map(([key, value]) => `<key>${key}</key>${toPlistValue(value)}`)
    .join('')}</dict>`;

/** The same for the same parts (RFC 9562, version 8): a profile that is installed again replaces itself. */
function createUuid(...parts: readonly string[]): string {
  const hex = createHash('sha256').update(parts.join('\n')).digest('hex');
  const variant = ((parseInt(hex[16]!, 16) & 3) | 8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ]
    .join('-')
    .toUpperCase();
}

/** A configuration profile of Apple's devices for CalDAV and CardDAV accounts, without a password: the device asks. */
export function createProfile(facts: ProfileFacts): string {
  const { type, login, product, displayName } = facts;
  const [host = '', port] = facts.host.split(/:(?=\d+$)/);
  const payload = (kind: 'CalDAV' | 'CardDAV'): Dictionary => ({
    PayloadType: `com.apple.${kind.toLowerCase()}.account`,
    PayloadVersion: 1,
    PayloadIdentifier: `${host}.${kind.toLowerCase()}`,
    PayloadUUID: createUuid(kind, facts.host, login),
    PayloadDisplayName: `${kind} (${product})`,
    [`${kind}AccountDescription`]: product,
    [`${kind}HostName`]: host,
    [`${kind}Port`]: port === undefined ? HTTPS : Number(port),
    [`${kind}PrincipalURL`]: `/${kind.toLowerCase()}/`,
    [`${kind}UseSSL`]: true,
    [`${kind}Username`]: login,
  });
  const content = [
    ...(type === 'carddav' ? [] : [payload('CalDAV')]),
    ...(type === 'caldav' ? [] : [payload('CardDAV')]),
  ];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    `<plist version="1.0">${toPlistDictionary({
      PayloadType: 'Configuration',
      PayloadVersion: 1,
      PayloadIdentifier: `${host}.${type}`,
      PayloadUUID: createUuid('profile', type, facts.host, login),
      PayloadDisplayName: product,
      PayloadDescription: `${displayName} <${facts.email}>`,
      PayloadOrganization: product,
      PayloadRemovalDisallowed: false,
      PayloadContent: content,
    })}</plist>`,
    '',
  ].join('\n');
}
