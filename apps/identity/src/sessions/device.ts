import type { SessionDevice } from '@groupware/contracts';

/** Program names by user agent; the first match wins, as most agents also name their ancestors. */
const PROGRAMS: readonly (readonly [RegExp, string, string])[] = [
  [/\b(?:Edg|EdgA|EdgiOS|Edge)\/([\d.]+)/, 'Edge', 'edge'],
  [/\b(?:OPR|Opera)\/([\d.]+)/, 'Opera', 'opera'],
  [/\b(?:Firefox|FxiOS)\/([\d.]+)/, 'Firefox', 'firefox'],
  [/\b(?:Chrome|CriOS|Chromium|HeadlessChrome)\/([\d.]+)/, 'Chrome', 'chrome'],
  [/\bVersion\/([\d.]+)(?![\d.]).* Safari\//, 'Safari', 'safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:iPhone OS|iPad; CPU OS|CPU OS) ([\d_]+)/, 'iOS'],
  [/\bAndroid ([\d.]+)/, 'Android'],
  [/\bWindows NT ([\d.]+)/, 'Windows'],
  [/\bMac OS X ([\d_.]+)/, 'macOS'],
  [/\bCrOS \S+ ([\d.]+)/, 'Chrome OS'],
  [/\bLinux\b()/, 'Linux'],
];
const DAV = /dav|evolution|thunderbird|davx5|dataaccess|accountsd|calendarstore/i;
const EAS = /activesync|^eas\b|usm-eas|microsoft-server-active/i;

/** Shortens a version to its first parts; desktop systems count two. */
const shortenVersion = (version: string | undefined, parts: number): string | undefined =>
  version ? version.replaceAll('_', '.').split('.').slice(0, parts).join('.') : undefined;

/** Detects the kind of client by id and user agent. */
function detectClientType(client: string, userAgent: string, isBrowser: boolean): SessionDevice['client']['type'] {
  if (EAS.test(client) || EAS.test(userAgent)) return 'eas';
  if (/dav/i.test(client) || (!isBrowser && DAV.test(userAgent))) return 'dav';
  if (isBrowser) return 'browser';
  return /^(?:svc|open-xchange)-/i.test(client) ? 'oxapp' : 'other';
}

/** Longest user agent that is looked at, characters. */
const MAX_AGENT = 1_024;

/** Detects the device of a session from client id and user agent. Informative only: user agents can lie. */
export function detectDevice(client: string, sentAgent: string): SessionDevice {
  const userAgent = sentAgent.slice(0, MAX_AGENT);
  const program = PROGRAMS.map(([pattern, name, family]) => ({ match: pattern.exec(userAgent), name, family })).find(
    ({ match }) => match,
  );
  const system = SYSTEMS.map(([pattern, name]) => ({ match: pattern.exec(userAgent), name })).find(
    ({ match }) => match,
  );
  const product = /^([\w .-]{1,40}?)\/([\d.]+)/.exec(userAgent);
  const name = program?.name ?? product?.[1] ?? (client || 'Unknown');
  const version = shortenVersion(program?.match?.[1] ?? product?.[2], 1);
  const osVersion = shortenVersion(system?.match?.[1], 2);
  const os = { name: system?.name ?? 'unknown', ...(osVersion ? { version: osVersion } : {}) };
  const mobile = /\bMobile\b|iPhone/.test(userAgent);
  const tablet = /iPad|Tablet/.test(userAgent) || (os.name === 'Android' && !mobile);
  const known = program !== undefined || system !== undefined;
  return {
    displayName: [version ? `${name} ${version}` : name, system?.name].filter(Boolean).join(', '),
    os,
    client: {
      name,
      ...(version ? { version } : {}),
      type: detectClientType(client, userAgent, program !== undefined),
      family: program?.family ?? 'unknown',
    },
    info: userAgent,
    type: tablet ? 'tablet' : mobile ? 'smartphone' : known ? 'desktop' : 'other',
  };
}
