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

/** Side of an account: mail or transport. */
export type ServerSide = 'mail' | 'transport';

const PROTOCOLS: Readonly<Record<ServerSide, readonly string[]>> = { mail: ['imap', 'pop3'], transport: ['smtp'] };
const PORTS: Readonly<Record<string, { readonly plain: number; readonly secure: number }>> = MAIL_PORTS;

/** Standard ports of a protocol. */
const getStandardPorts = (protocol: string): { readonly plain: number; readonly secure: number } =>
  PORTS[protocol] ?? PORTS.imap!;

/**
 * Finds a mismatch of port and TLS (ACC-0022 to ACC-0025).
 * @param wantsTls the user's choice, which an address may contradict
 */
export function findPortHint(
  side: ServerSide,
  { protocol, port, starttls }: ServerAddress,
  wantsTls: boolean,
): CatalogueError | undefined {
  const usual = getStandardPorts(protocol);
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

/** Formats a server as `imaps://host:port`. */
export const toServerUrl = ({ protocol, host, port, secure }: Omit<ServerAddress, 'starttls'>): string =>
  `${protocol}${secure ? 's' : ''}://${host.includes(':') ? `[${host}]` : host}:${port}`;

interface AddressParts {
  readonly protocol?: string;
  readonly secure?: boolean;
  readonly host?: string;
  readonly port?: number;
}

/** Splits `imap` and `imaps` into protocol and TLS. @throws ACC-0018 for other protocols */
function parseProtocol(text: string, side: ServerSide): { protocol: string; secure: boolean } {
  const lower = text.trim().toLowerCase();
  const protocol = PROTOCOLS[side].find((name) => lower === name || lower === `${name}s`);
  if (!protocol) throw MailAccountErrors.badServer(text);
  return { protocol, secure: lower !== protocol };
}

function parseProtocolName(text: string): string {
  const host = readHost(text);
  if (!host) throw MailAccountErrors.badHost(text);
  return host.host;
}

/** Parses `imaps://host:port`, `host:port` or `host`. @throws ACC-0018, ACC-0019 */
export function parseServer(text: string, side: ServerSide): AddressParts {
  const match = /^(?:([a-z0-9]+):\/\/)?(?:[^@/]*@)?(\[[^\]]*\]|[^:/?#\s]+)(?::(\d{1,5}))?\/?$/i.exec(text.trim());
  if (!match) throw MailAccountErrors.badServer(text);
  const port = match[3] === undefined ? undefined : Number(match[3]);
  if (port !== undefined && (port < 1 || port > 65_535)) throw MailAccountErrors.badServer(text);
  return { ...(match[1] ? parseProtocol(match[1], side) : {}), host: parseProtocolName(match[2]!), port };
}

/** Parses the configuration notation, such as `smtp+starttls://host:587`; undefined for other texts. */
export function parseConfiguredServer(text: string): ServerAddress | undefined {
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
 * Merges the server fields of a body into the former server. URL parts take precedence over single fields; the default
 * port is that of the protocol.
 * @returns undefined when the body does not touch this server; null when it removes it
 * @throws ACC-0018, ACC-0019, SVL-0031
 */
export function parseServerFields(
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

  const fromUrl = url ? parseServer(url, side) : {};
  const fromServer = server ? parseServer(server, side) : {};
  const fromProtocol = protocol ? parseProtocol(protocol, side) : undefined;
  const host = fromUrl.host ?? fromServer.host ?? before?.host;
  // Only flags, without a server.
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
  const usual = isSecure ? getStandardPorts(name).secure : (defaultPlainPort ?? getStandardPorts(name).plain);
  const keepsPort = before && named.length === 0 && before.secure === isSecure;
  return {
    protocol: name,
    host,
    port: fromUrl.port ?? fromServer.port ?? (port || undefined) ?? (keepsPort ? before.port : usual),
    secure: isSecure,
    starttls: isStartTls && !isSecure,
  };
}
