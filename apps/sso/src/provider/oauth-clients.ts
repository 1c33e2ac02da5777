import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { APP_SCOPES, OAuthProviderErrors, type OAuthClientData, type OAuthClientInput } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { ClientRepository, type ClientRow } from '../persistence/client.repository';
import { ProviderSessions } from './provider-sessions';

const INSTALLATION = 'applications belong to the installation';
/** First part of ids: all applications are of one group. */
const GROUP = Buffer.from('default').toString('base64url');
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Applications that an operator registered. */
@Injectable()
export class OAuthClients {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly rows: ClientRepository,
    private readonly sessions: ProviderSessions,
    private readonly clock: Clock,
  ) {}

  /** All applications. */
  async list(): Promise<OAuthClientData[]> {
    return (await this.database.acrossContexts(INSTALLATION, (db) => this.rows.listAll(db))).map(toView);
  }

  /** One that may act now. */
  async findEnabled(id: string | undefined): Promise<ClientRow | undefined> {
    if (!id) return undefined;
    const row = await this.database.acrossContexts(INSTALLATION, (db) => this.rows.find(db, id));
    return row?.enabled ? row : undefined;
  }

  /** Whether the secret is that of the application. */
  hasSecret(client: ClientRow, secret: string | undefined): boolean {
    return timingSafeEqual(client.secretDigest, digestOf(secret ?? ''));
  }

  /** @throws OAUTH_PROVIDER-0001 */
  async get(id: string): Promise<OAuthClientData> {
    return toView(await this.require(id));
  }

  /** Registers an application; the answer has its secret. @throws OAUTH_PROVIDER-0002, OAUTH_PROVIDER-0003 */
  async create(input: OAuthClientInput): Promise<OAuthClientData> {
    const secret = randomBytes(32).toString('base64url');
    const row = {
      ...toRow(input),
      id: `${GROUP}/${randomBytes(16).toString('hex')}`,
      secretDigest: digestOf(secret),
      createdAt: this.clock.now(),
    };
    await this.database.acrossContexts(INSTALLATION, (db) => this.rows.upsert(db, row));
    return { ...toView(row), secret };
  }

  /** Changes an application. @throws OAUTH_PROVIDER-0001, OAUTH_PROVIDER-0002, OAUTH_PROVIDER-0003 */
  async change(id: string, input: OAuthClientInput): Promise<OAuthClientData> {
    const row = { ...(await this.require(id)), ...toRow(input) };
    await this.database.acrossContexts(INSTALLATION, (db) => this.rows.upsert(db, row));
    if (!row.enabled) await this.sessions.endOfClient(id);
    return toView(row);
  }

  /** Removes an application with all that was granted to it. @throws OAUTH_PROVIDER-0001 */
  async remove(id: string): Promise<void> {
    await this.require(id);
    await this.database.acrossContexts(INSTALLATION, (db) => this.rows.remove(db, id));
    await this.database.acrossShards(INSTALLATION, (db) => this.rows.removeGrants(db, id));
    await this.sessions.endOfClient(id);
  }

  private async require(id: string): Promise<ClientRow> {
    const row = await this.database.acrossContexts(INSTALLATION, (db) => this.rows.find(db, id));
    if (!row) throw OAuthProviderErrors.clientNotFound(id);
    return row;
  }
}

function toRow(input: OAuthClientInput) {
  const redirectURIs = [...new Set(input.redirectURIs)];
  if (redirectURIs.length === 0) throw OAuthProviderErrors.badRedirect('');
  for (const address of redirectURIs) if (!isRedirect(address)) throw OAuthProviderErrors.badRedirect(address);
  const known: ReadonlySet<string> = new Set(APP_SCOPES);
  for (const scope of input.defaultScope) if (!known.has(scope)) throw OAuthProviderErrors.badScope(scope);
  return {
    name: input.name,
    description: input.description ?? '',
    website: input.website ?? '',
    icon: input.icon ?? '',
    contactAddress: input.contactAddress ?? '',
    redirectURIs,
    defaultScope: [...new Set(input.defaultScope)],
    enabled: input.enabled ?? true,
  };
}

function isRedirect(text: string): boolean {
  if (!URL.canParse(text) || text.includes('#')) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username || password) return false;
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname));
}

const toView = ({ secretDigest: _secret, createdAt: _created, ...shown }: ClientRow): OAuthClientData => shown;
