import {
  MAIL_PORTS,
  MailAccountErrors,
  RequestErrors,
  type CatalogueError,
  type MailAccountData,
} from '@groupware/contracts';
import { readHost } from '@groupware/outbound';

/** A server of an account. */
export interface ServerAddress {
  /** Basic name: `imap`, `pop3` or `smtp`. */
  readonly protocol: string;
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte. */
  readonly secure: boolean;
  readonly starttls: boolean;
}

/** Which of the two servers of an account. */
export type ServerSide = 'mail' | 'transport';

const PROTOCOLS: Readonly<Record<ServerSide, readonly string[]>> = { mail: ['imap', 'pop3'], transport: ['smtp'] };
const PORTS: Readonly<Record<string, { readonly plain: number; readonly secure: number }>> = MAIL_PORTS;

/** The ports a protocol has by its standard. */
export const standardPorts = (protocol: string): { readonly plain: number; readonly secure: number } =>
  PORTS[protocol] ?? PORTS.imap!;

/**
 * Says that port and TLS do not belong together (ACC-0022 to ACC-0025).
 * @param wantsTls what the user asked for, which an address may contradict
 */
export function portHint(
  side: ServerSide,
  { protocol, port, starttls }: ServerAddress,
  wantsTls: boolean,
): CatalogueError | undefined {
  const usual = standardPorts(protocol);
  if (wantsTls && port === usual.plain)
    return side === 'mail'
      ? MailAccountErrors.mailPortIsPlain(protocol)
      : MailAccountErrors.transportPortIsPlain(protocol);
  if (!wantsTls && !starttls && port === usual.secure)
    return side === 'mail'
      ? MailAccountErrors.mailPortIsSecure(protocol)
      : MailAccountErrors.transportPortIsSecure(protocol);
  return undefined;
}

/** The address as clients see it: `imaps://host:port`. */
export const urlOf = ({ protocol, host, port, secure }: Omit<ServerAddress, 'starttls'>): string =>
  `${protocol}${secure ? 's' : ''}://${host.includes(':') ? `[${host}]` : host}:${port}`;

interface AddressParts {
  readonly protocol?: string;
  readonly secure?: boolean;
  readonly host?: string;
  readonly port?: number;
}

/** Splits `imap` and `imaps` into protocol and TLS. @throws ACC-0018 for other protocols */
function readProtocol(text: string, side: ServerSide): { protocol: string; secure: boolean } {
  const lower = text.trim().toLowerCase();
  const protocol = PROTOCOLS[side].find((name) => lower === name || lower === `${name}s`);
  if (!protocol) throw MailAccountErrors.badServer(text);
  return { protocol, secure: lower !== protocol };
}

function readName(text: string): string {
  const host = readHost(text);
  if (!host) throw MailAccountErrors.badHost(text);
  return host.host;
}

/** Reads `imaps://host:port`, `host:port` or `host`. @throws ACC-0018, ACC-0019 */
export function readServer(text: string, side: ServerSide): AddressParts {
  const match = /^(?:([a-z0-9]+):\/\/)?(?:[^@/]*@)?(\[[^\]]*\]|[^:/?#\s]+)(?::(\d{1,5}))?\/?$/i.exec(text.trim());
  if (!match) throw MailAccountErrors.badServer(text);
  const port = match[3] === undefined ? undefined : Number(match[3]);
  if (port !== undefined && (port < 1 || port > 65_535)) throw MailAccountErrors.badServer(text);
  return { ...(match[1] ? readProtocol(match[1], side) : {}), host: readName(match[2]!), port };
}

/** Reads the notation of configurations, such as `smtp+starttls://host:587`; undefined when the text is something else. */
export function readConfiguredServer(text: string): ServerAddress | undefined {
  const match = /^(imap|pop3|smtp)(s?)(\+starttls)?:\/\/(\[[0-9a-f:.]+\]|[a-z0-9._-]+):(\d{1,5})$/i.exec(text.trim());
  const host = match && readHost(match[4]!);
  if (!host) return undefined;
  const [, protocol, secure, starttls, , port] = match;
  return {
    protocol: protocol!.toLowerCase(),
    host: host.host,
    port: Number(port),
    secure: secure !== '',
    starttls: Boolean(starttls),
  };
}

/**
 * The server a body describes on top of what was there before. The parts of the URL win over single fields; a port that
 * nobody names is the one of the protocol.
 * @returns undefined when the body says nothing of this server; null when it removes it
 * @throws ACC-0018, ACC-0019, SVL-0031
 */
export function serverOf(
  body: MailAccountData,
  side: ServerSide,
  before: ServerAddress | undefined,
  defaultPlainPort?: number,
): ServerAddress | null | undefined {
  const url = body[`${side}_url`];
  const server = body[`${side}_server`];
  const port = body[`${side}_port`];
  const protocol = body[`${side}_protocol`];
  const secure = body[`${side}_secure`];
  const starttls = body[`${side}_starttls`];
  if ([url, server, port, protocol, secure, starttls].every((field) => field === undefined)) return undefined;
  const named = [url, server].filter((text) => text !== undefined);
  if (named.length > 0 && named.every((text) => text === null || text === '')) return null;

  const fromUrl = url ? readServer(url, side) : {};
  const fromServer = server ? readServer(server, side) : {};
  const fromProtocol = protocol ? readProtocol(protocol, side) : undefined;
  const host = fromUrl.host ?? fromServer.host ?? before?.host;
  // Nothing but flags for a server that is not there.
  if (!host) return undefined;
  const parts: AddressParts = {
    protocol: fromUrl.protocol ?? fromServer.protocol ?? fromProtocol?.protocol ?? before?.protocol,
    secure:
      fromUrl.secure ??
      fromServer.secure ??
      secure ??
      (fromProtocol?.secure ? true : undefined) ??
      (named.length > 0 ? undefined : before?.secure),
  };
  const name = parts.protocol ?? PROTOCOLS[side][0]!;
  const isSecure = parts.secure ?? false;
  const isStartTls = starttls ?? (named.length > 0 ? false : (before?.starttls ?? false));
  if (isSecure && isStartTls && starttls) throw RequestErrors.badBodyData(`${side}_secure and ${side}_starttls`);
  const usual = isSecure ? standardPorts(name).secure : (defaultPlainPort ?? standardPorts(name).plain);
  const keepsPort = before && named.length === 0 && before.secure === isSecure;
  return {
    protocol: name,
    host,
    port: fromUrl.port ?? fromServer.port ?? (port || undefined) ?? (keepsPort ? before.port : usual),
    secure: isSecure,
    starttls: isStartTls && !isSecure,
  };
}
