import { randomBytes } from 'node:crypto';
import { Client, type ClientConfig, type PoolClient } from 'pg';
import type { HostFinder } from './host-finder';

/** Settings of a {@link NamedClient}. */
export interface NamedClientConfig extends ClientConfig {
  /** Tells the host, where the address has several. */
  readonly hosts?: HostFinder;
}

type Connected = ((error: Error) => void) | ((error: null, client: Client) => void);

const prefix = randomBytes(4).toString('hex');
let connections = 0;

/**
 * A client whose connection has a name of its own, for `pg_stat_activity`; behind a pooler its process id would not do. It
 * connects to the host that is found at that moment: pg knows a single one.
 */
export class NamedClient extends Client {
  /** Value of `application_name`. */
  readonly connectionName: string;
  private readonly hosts: HostFinder | undefined;

  constructor(config: NamedClientConfig = {}) {
    const connectionName = `${config.application_name ?? 'groupware'} ${prefix}-${(connections += 1).toString(36)}`;
    super({ ...config, application_name: connectionName });
    this.connectionName = connectionName;
    this.hosts = config.hosts;
  }

  override connect(): Promise<Client>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<Client> | void {
    const connected = this.connectToHost();
    if (!callback) return connected;
    const tell = callback as (error: Error | null, client?: Client) => void;
    connected.then(
      () => tell(null, this),
      (error: Error) => tell(error),
    );
  }

  private async connectToHost(): Promise<Client> {
    if (this.hosts) ({ host: this.host, port: this.port } = await this.hosts.findHost());
    return super.connect();
  }
}

/** Name of the connection of a client of ours, as the server shows it. */
export const nameOf = (client: PoolClient): string =>
  (client as PoolClient & Pick<NamedClient, 'connectionName'>).connectionName;
