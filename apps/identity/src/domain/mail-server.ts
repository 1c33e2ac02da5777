import { MAIL_PORTS, ProvisioningErrors, type MailServer } from '@groupware/contracts';
import { readHost } from '@groupware/outbound';

/** Protocol of a server of the primary mail account. */
export type MailProtocol = 'imap' | 'smtp';

/** All protocols. */
export const MAIL_PROTOCOLS: readonly MailProtocol[] = ['imap', 'smtp'];

/** Fields that require a host. */
const HOST_DEPENDENT_FIELDS = ['port', 'secure', 'starttls'] as const;

/**
 * Merges a change into a stored server: absent fields stay, null removes them.
 * @returns null when nothing is left
 * @throws PROV-0019
 */
export function mergeMailServer(
  side: MailProtocol,
  before: MailServer | null,
  change: MailServer | null | undefined,
): MailServer | null {
  if (change === undefined) return before;
  if (change === null) return null;
  const given = Object.entries({ ...before, ...omitUndefined(change) }).filter(([, value]) => value !== null);
  const server: MailServer = Object.fromEntries(given);
  if (!server.host) {
    const stray = HOST_DEPENDENT_FIELDS.find((field) => server[field] !== undefined);
    if (stray) throw ProvisioningErrors.invalidField(`${side}.host`, `missing beside ${stray}`);
    return server.login ? server : null;
  }
  if (server.secure && server.starttls)
    throw ProvisioningErrors.invalidField(`${side}.starttls`, 'not together with secure');
  const host = readHost(server.host)?.host;
  if (!host) throw ProvisioningErrors.invalidField(`${side}.host`, server.host);
  return { ...server, host };
}

const omitUndefined = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as T;

/** Mail servers of a user for the API, with defaults for port and flags. */
export function toMailServers(user: { imap: MailServer | null; smtp: MailServer | null }): {
  imap?: MailServer;
  smtp?: MailServer;
} {
  const { imap, smtp } = user;
  return {
    ...(imap ? { imap: applyDefaults('imap', imap) } : {}),
    ...(smtp ? { smtp: applyDefaults('smtp', smtp) } : {}),
  };
}

function applyDefaults(side: MailProtocol, { host, port, secure, starttls, login }: MailServer): MailServer {
  const ofHost = host && {
    host,
    port: port ?? MAIL_PORTS[side][secure ? 'secure' : 'plain'],
    secure: secure ?? false,
    starttls: starttls ?? false,
  };
  return { ...ofHost, ...(login ? { login } : {}) };
}

/** Reads `imaps://host:port`, `host:port` or `host`, as imports bring it. @throws PROV-0019 */
export function parseMailServerUrl(side: MailProtocol, text: string): MailServer {
  const match = /^(?:([a-z]+):\/\/)?(\[[^\]]*\]|[^:/?#\s]+)(?::(\d{1,5}))?\/?$/i.exec(text.trim());
  const protocol = match?.[1]?.toLowerCase() ?? side;
  if (!match || ![side, `${side}s`].includes(protocol)) throw ProvisioningErrors.invalidField(`${side}.host`, text);
  return {
    host: match[2],
    ...(match[3] ? { port: Number(match[3]) } : {}),
    ...(match[1] ? { secure: protocol !== side } : {}),
  };
}
