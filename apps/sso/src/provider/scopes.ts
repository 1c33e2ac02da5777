import { APP_SCOPES, formatMessage, GRANTED_SCOPES, localText } from '@groupware/contracts';

const KNOWN: ReadonlySet<string> = new Set([...APP_SCOPES, ...Object.keys(GRANTED_SCOPES)]);

/** Capability that a user needs so that a scope means anything. */
const CAPABILITIES: Readonly<Record<string, string>> = {
  calendar: 'calendar',
  contacts: 'contacts',
  tasks: 'tasks',
  mail: 'webmail',
  mailaccount: 'webmail',
  files: 'infostore',
  caldav: 'calendar',
  carddav: 'contacts',
};

/** Scopes of a parameter, each once; undefined when one is unknown. */
export function parseScopes(text: string): string[] | undefined {
  const scopes = [...new Set(text.split(/ +/).filter(Boolean))];
  return scopes.length > 0 && scopes.every((scope) => KNOWN.has(scope)) ? scopes : undefined;
}

/** Those of the scopes that a user with these capabilities can grant. */
export function narrowScopes(scopes: readonly string[], capabilities: readonly string[]): string[] {
  return scopes.filter((scope) => {
    const needed = CAPABILITIES[scope.replace(/^(read|write)_/, '')];
    return needed === undefined || capabilities.includes(needed);
  });
}

/** A scope for people, such as `read: contacts`. */
export function describeScope(scope: string, locale: string): string {
  const [, mode, what] = /^(read|write)_(.+)$/.exec(scope) ?? [];
  if (mode === undefined || what === undefined) return scope;
  return formatMessage(localText(mode === 'read' ? 'oauth.read' : 'oauth.write', locale), [what]);
}
