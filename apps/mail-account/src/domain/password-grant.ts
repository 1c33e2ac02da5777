import { storedServer } from './account-view';
import type { ServerAddress, ServerSide } from './server-address';
import type { StoredAccount } from './stored-account';

/** A server that a password was given for. */
export interface GrantedServer {
  /** Absent: every protocol. */
  readonly protocol?: string;
  readonly host: string;
  /** Absent: every port. */
  readonly port?: number;
  /** True when the password must not travel there in clear text. */
  readonly encrypted: boolean;
}

/** A password with the servers that it may be sent to. */
export interface GrantedPassword {
  readonly password: string;
  readonly servers: readonly GrantedServer[];
}

/**
 * The grant for a server as a user names it together with a password.
 * @param wasEncrypted what a first connection was like, where there was one
 */
export const grantFor = ({ protocol, host, port, secure, starttls }: ServerAddress, wasEncrypted = false) => ({
  protocol,
  host,
  port,
  encrypted: secure || starttls || wasEncrypted,
});

/** The grant that lets a password travel to a server; undefined when it was given for others. */
export const findGrant = (
  grants: readonly GrantedServer[],
  { protocol, host, port }: Pick<ServerAddress, 'protocol' | 'host' | 'port'>,
): GrantedServer | undefined =>
  grants.find(
    (grant) => grant.host === host && (grant.port ?? port) === port && (grant.protocol ?? protocol) === protocol,
  );

/** True when the transport server gets the credentials of the mail server. */
export const sharesPassword = (account: StoredAccount): boolean => (account.transport_auth ?? 'mail') === 'mail';

/** The servers that the password of one side of an account is for. */
export function serversOf(account: StoredAccount, side: ServerSide): ServerAddress[] {
  const mail = side === 'mail' ? storedServer(account, 'mail') : undefined;
  const usesTransport = side === 'mail' ? sharesPassword(account) : account.transport_auth === 'custom';
  const transport = usesTransport ? storedServer(account, 'transport') : undefined;
  return [mail, transport].filter((server) => server !== undefined);
}
