import { findStoredServer } from './account-view';
import type { ServerAddress, ServerSide } from './server-address';
import type { StoredAccount } from './stored-account';

/** A server a password was granted for. */
export interface GrantedServer {
  /** Absent: every protocol. */
  readonly protocol?: string;
  readonly host: string;
  /** Absent: every port. */
  readonly port?: number;
  /** True when the password requires encryption. */
  readonly encrypted: boolean;
}

/** A password with the servers that it may be sent to. */
export interface GrantedPassword {
  readonly password: string;
  readonly servers: readonly GrantedServer[];
}

/**
 * Creates the grant for a server given together with a password.
 * @param wasEncrypted whether the first connection was encrypted, if there was one
 */
export const createGrant = ({ protocol, host, port, secure, starttls }: ServerAddress, wasEncrypted = false) => ({
  protocol,
  host,
  port,
  encrypted: secure || starttls || wasEncrypted,
});

/** Finds the grant for a server; undefined when the password was granted for others only. */
export const findGrant = (
  grants: readonly GrantedServer[],
  { protocol, host, port }: Pick<ServerAddress, 'protocol' | 'host' | 'port'>,
): GrantedServer | undefined =>
  grants.find(
    (grant) => grant.host === host && (grant.port ?? port) === port && (grant.protocol ?? protocol) === protocol,
  );

/** True when the transport server gets the credentials of the mail server. */
export const sharesPassword = (account: StoredAccount): boolean => (account.transport_auth ?? 'mail') === 'mail';

/** Login name at the server: with an account elsewhere the address, where nothing else is given. */
export const findLoginName = (account: StoredAccount, purpose: ServerSide): string =>
  (purpose === 'transport' && !sharesPassword(account) ? account.transport_login : undefined) ||
  account.login ||
  account.primary_address ||
  '';

/** Lists the servers of the password of one side. */
export function listServers(account: StoredAccount, side: ServerSide): ServerAddress[] {
  const mail = side === 'mail' ? findStoredServer(account, 'mail') : undefined;
  const usesTransport = side === 'mail' ? sharesPassword(account) : account.transport_auth === 'custom';
  const transport = usesTransport ? findStoredServer(account, 'transport') : undefined;
  return [mail, transport].filter((server) => server !== undefined);
}
