import { MAIL_PORTS, ProvisioningErrors, type MailServer } from '@groupware/contracts';
import { readHost } from '@groupware/outbound';

/** Which of the two servers of a primary mail account. */
export type MailSide = 'imap' | 'smtp';

/** Both sides. */
export const MAIL_SIDES: readonly MailSide[] = ['imap', 'smtp'];

/** Fields that mean nothing without a host. */
const OF_HOST = ['port', 'secure', 'starttls'] as const;

/**
 * What is stored of a server after a change: what the change leaves out stays, null removes it.
 * @returns null where nothing is left
 * @throws PROV-0019
 */
export function changedMailServer(
  side: MailSide,
  before: MailServer | null,
  change: MailServer | null | undefined,
): MailServer | null {
  if (change === undefined) return before;
  if (change === null) return null;
  const given = Object.entries({ ...before, ...withoutUndefined(change) }).filter(([, value]) => value !== null);
  const server: MailServer = Object.fromEntries(given);
  if (!server.host) {
    const stray = OF_HOST.find((field) => server[field] !== undefined);
    if (stray) throw ProvisioningErrors.invalidField(`${side}.host`, `missing beside ${stray}`);
    return server.login ? server : null;
  }
  if (server.secure && server.starttls)
    throw ProvisioningErrors.invalidField(`${side}.starttls`, 'not together with secure');
  const host = readHost(server.host)?.host;
  if (!host) throw ProvisioningErrors.invalidField(`${side}.host`, server.host);
  return { ...server, host };
}

const withoutUndefined = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as T;

/** The servers of a user as operators and other services see them: with the port and flags they leave open. */
export function mailServersView(user: { imap: MailServer | null; smtp: MailServer | null }): {
  imap?: MailServer;
  smtp?: MailServer;
} {
  const { imap, smtp } = user;
  return { ...(imap ? { imap: complete('imap', imap) } : {}), ...(smtp ? { smtp: complete('smtp', smtp) } : {}) };
}

function complete(side: MailSide, { host, port, secure, starttls, login }: MailServer): MailServer {
  const ofHost = host && {
    host,
    port: port ?? MAIL_PORTS[side][secure ? 'secure' : 'plain'],
    secure: secure ?? false,
    starttls: starttls ?? false,
  };
  return { ...ofHost, ...(login ? { login } : {}) };
}

/** Reads `imaps://host:port`, `host:port` or `host`, as imports bring it. @throws PROV-0019 */
export function mailServerOfUrl(side: MailSide, text: string): MailServer {
  const match = /^(?:([a-z]+):\/\/)?(\[[^\]]*\]|[^:/?#\s]+)(?::(\d{1,5}))?\/?$/i.exec(text.trim());
  const protocol = match?.[1]?.toLowerCase() ?? side;
  if (!match || ![side, `${side}s`].includes(protocol)) throw ProvisioningErrors.invalidField(`${side}.host`, text);
  return {
    host: match[2],
    ...(match[3] ? { port: Number(match[3]) } : {}),
    ...(match[1] ? { secure: protocol !== side } : {}),
  };
}
