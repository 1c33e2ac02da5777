import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OutboundGuard, OutboundSettings, WebClient } from '@groupware/outbound';
import type { ModuleDatabase } from '@groupware/persistence';
import { Clock, Properties, Secret, SecretKeySettings } from '@groupware/service-kit';
import { SessionStore } from '@groupware/sessions';
import { testDatabase, uniquePrefix, type TestDatabase } from '@groupware/test-kit';
import { CreateOAuthAccounts1795450500000 } from '../migrations/1795450500000-create-oauth-accounts';
import { AccountRepository } from '../persistence/account.repository';
import { Discovery } from '../web/discovery';
import { OutboundFetch } from '../web/outbound-fetch';
import type { AccountDependants } from './account-dependants';
import { AccountTokenSource } from './account-token-source';
import { OAuthAccounts } from './oauth-accounts';
import { OAuthServices } from './oauth-services';
import { ServiceClient } from './service-client';
import { TokenRefreshes } from './token-refreshes';
import { TokenVault } from './token-vault';

const user = { contextId: 7, userId: 3 };
const HOST = 'imap.work.example';
const ROOT = 'com.example.oauth.work';

/** A token endpoint whose refresh tokens are good once: one that comes again ends the grant. */
class TokenService {
  refreshes = 0;
  isRevoked = false;
  isDown = false;
  private current = 'refresh 0';
  private readonly server: Server = createServer((request, response) => {
    let body = '';
    request
      .on('data', (part) => (body += String(part)))
      .on('end', () => {
        const token = new URLSearchParams(body).get('refresh_token');
        if (this.isDown) return response.writeHead(503).end();
        response.setHeader('content-type', 'application/json');
        if (this.isRevoked || token !== this.current) {
          this.isRevoked = true;
          return response.writeHead(400).end('{"error":"invalid_grant"}');
        }
        this.refreshes += 1;
        this.current = `refresh ${this.refreshes}`;
        const tokens = { access_token: `access ${this.refreshes}`, refresh_token: this.current, expires_in: 3600 };
        return response.end(JSON.stringify({ ...tokens, token_type: 'Bearer' }));
      });
  });

  /** Listens; answers its address. */
  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Begins anew with the first refresh token. */
  reset(): void {
    Object.assign(this, { refreshes: 0, isRevoked: false, isDown: false, current: 'refresh 0' });
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

const service = new TokenService();
const rows = new AccountRepository();
const keys = Object.assign(new SecretKeySettings(), { secretKey: new Secret(Buffer.alloc(32, 5).toString('base64')) });
const vault = new TokenVault(keys);
const clock = new Clock();
const nobody = { list: () => Promise.resolve([]) } as unknown as AccountDependants;
const stores: SessionStore[] = [];
let databases: TestDatabase;
let database: ModuleDatabase;
/** Two processes of the service. */
let nodes: AccountTokenSource[];
let id = 0;

beforeAll(async () => {
  databases = await testDatabase({ sso: [CreateOAuthAccounts1795450500000] });
  database = await databases.of('sso');
  const address = await service.start();
  const properties = new Properties(undefined, {
    'com.example.oauth.services': 'work',
    'com.example.oauth.allowPlain': 'true',
    [ROOT]: 'true',
    [`${ROOT}.apiKey`]: 'groupware',
    [`${ROOT}.apiSecret`]: 'secret',
    [`${ROOT}.authorizationEndpoint`]: `${address}/authorize`,
    [`${ROOT}.tokenEndpoint`]: `${address}/token`,
    [`${ROOT}.userInfoEndpoint`]: `${address}/me`,
    [`${ROOT}.mailServers`]: HOST,
  });
  const guard = new OutboundGuard(Object.assign(new OutboundSettings(), { allow: ['127.0.0.1'], failureStepMs: 0 }));
  const outbound = new OutboundFetch(new WebClient(guard));
  const prefix = uniquePrefix();
  const makeNode = async () => {
    const secretKeys = [Buffer.alloc(32, 5)];
    const store = await SessionStore.connect({ url: process.env.REDIS_URL!, prefix, secretKeys });
    stores.push(store);
    const services = new OAuthServices(properties);
    const clients = new ServiceClient(outbound, new Discovery(outbound));
    const accounts = new OAuthAccounts(database, rows, services, clients, vault, nobody, properties, clock);
    return new AccountTokenSource(database, rows, accounts, services, clients, vault, new TokenRefreshes(store), clock);
  };
  nodes = await Promise.all([makeNode(), makeNode()]);
}, 60_000);
afterAll(async () => {
  service.close();
  await Promise.all(stores.map((store) => store.close()));
  await databases?.close();
});

/** An account whose access token ends in a while. */
async function createAccount(endsInMs: number | undefined, refresh: string | undefined = 'refresh 0'): Promise<number> {
  service.reset();
  id += 1;
  const ends = endsInMs === undefined ? {} : { expiresAt: clock.now() + endsInMs };
  const tokens = { identity: 'ann', access: 'access 0', ...(refresh ? { refresh } : {}), ...ends };
  await database.transact(user, (tx) =>
    rows.insert(tx, user.userId, {
      ...{ id, service: 'work', displayName: 'Mine', scopes: ['mail'], isEnded: false, createdAt: 1 },
      sealed: vault.sealTokens(user, id, tokens),
    }),
  );
  return id;
}
const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (value) => value,
    ({ code }: { code: string }) => code,
  );

describe('access tokens of accounts elsewhere', () => {
  it('are refreshed a minute before their end, and not before', async () => {
    const fresh = await createAccount(70_000);
    expect(await nodes[0]!.find(user, fresh, HOST)).toBe('access 0');
    const endless = await createAccount(undefined);
    expect(await nodes[0]!.find(user, endless, HOST)).toBe('access 0');
    expect(service.refreshes).toBe(0);
    const old = await createAccount(50_000);
    expect(await nodes[0]!.find(user, old, HOST)).toBe('access 1');
    expect(await nodes[0]!.find(user, old, HOST)).toBe('access 1');
    expect(service.refreshes).toBe(1);
  });

  it('SO-12: are refreshed once for ten calls at once, on two processes', async () => {
    const account = await createAccount(-1_000);
    const calls = Array.from({ length: 10 }, (_each, index) => nodes[index % 2]!.find(user, account, HOST));
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['access 1']));
    expect(service.refreshes).toBe(1);
  });

  it('SO-13: end with the grant, until access is granted anew', async () => {
    const account = await createAccount(-1_000);
    service.isRevoked = true;
    for (const node of nodes) expect(await codeOf(node.find(user, account, HOST))).toBe('OAUTH-0013');
    const sealed = vault.sealTokens(user, account, { identity: 'ann', access: 'access again' });
    await database.transact(user, (tx) =>
      rows.replaceGrant(tx, user.userId, { id: account, sealed, scopes: ['mail'] }),
    );
    expect(await nodes[1]!.find(user, account, HOST)).toBe('access again');
  });

  it('are replaced once when a server refuses them before their end', async () => {
    const account = await createAccount(3_600_000);
    const refused = await Promise.all(nodes.map((node) => node.find(user, account, HOST, 'access 0')));
    expect(refused).toEqual(['access 1', 'access 1']);
    // One of before: what is there now was not refused.
    expect(await nodes[0]!.find(user, account, HOST, 'access 0')).toBe('access 1');
    expect(await nodes[1]!.find(user, account, HOST, 'access 1')).toBeUndefined();
    expect(await nodes[1]!.find(user, account, HOST)).toBe('access 1');
    expect(service.refreshes).toBe(1);
    const lasting = await createAccount(3_600_000, '');
    expect(await nodes[0]!.find(user, lasting, HOST, 'access 0')).toBeUndefined();
    expect(await nodes[0]!.find(user, lasting, HOST)).toBe('access 0');
  });

  it('end where there is nothing to refresh them by', async () => {
    expect(await codeOf(nodes[0]!.find(user, await createAccount(-1_000, ''), HOST))).toBe('OAUTH-0013');
  });

  it('survive a service that is away', async () => {
    const account = await createAccount(-1_000);
    service.isDown = true;
    expect(await codeOf(nodes[0]!.find(user, account, HOST))).toBe('OAUTH-0017');
    service.isDown = false;
    expect(await nodes[0]!.find(user, account, HOST)).toBe('access 1');
  });

  it('are shown to the hosts that the operator names only, and to their user', async () => {
    const account = await createAccount(-1_000);
    for (const host of ['evil.example', `${HOST}.evil.example`, ''])
      expect(await nodes[0]!.find(user, account, host)).toBeUndefined();
    expect(await nodes[0]!.find(user, account, HOST.toUpperCase())).toBe('access 1');
    for (const other of [
      { contextId: 7, userId: 4 },
      { contextId: 8, userId: 3 },
    ])
      expect(await codeOf(nodes[0]!.find(other, account, HOST))).toBe('OAUTH-0006');
  });
});
