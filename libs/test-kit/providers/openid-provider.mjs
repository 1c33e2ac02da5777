// A real OpenID provider in a process of its own (its package ships ES modules only). The parent sets clients by messages.
import { createServer } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';

const tables = new Map();
const tableOf = (name) => tables.get(name) ?? tables.set(name, new Map()).get(name);

class MemoryAdapter {
  constructor(name) {
    this.table = tableOf(name);
  }
  async upsert(id, payload) {
    this.table.set(id, payload);
  }
  async find(id) {
    return this.table.get(id);
  }
  async findByUserCode() {}
  async findByUid(uid) {
    return [...this.table.values()].find((payload) => payload.uid === uid);
  }
  async destroy(id) {
    this.table.delete(id);
  }
  async revokeByGrantId(grantId) {
    for (const [id, payload] of this.table) if (payload.grantId === grantId) this.table.delete(id);
  }
  async consume(id) {
    const payload = this.table.get(id);
    if (payload) payload.consumed = Math.floor(Date.now() / 1000);
  }
}

const accounts = new Map();
let provider;
let refreshes = 0;
let revocations = 0;
let isDown;
const server = createServer((request, response) => {
  if (isDown) {
    response.statusCode = 500;
    return response.end('down');
  }
  provider.callback()(request, response);
});

/** Access tokens as JWT, which servers of resources check by a common secret; Dovecot wants them to say no more than that. */
const signedTokens = (secret, accessTokenTTL) => ({
  features: {
    resourceIndicators: {
      enabled: true,
      defaultResource: () => 'urn:test:mail',
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({
        scope: 'mail',
        audience: 'mail',
        accessTokenTTL,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'HS256', key: Buffer.from(secret) } },
      }),
    },
  },
  formats: { customizers: { jwt: (_context, _token, parts) => void (parts.header = { typ: 'JWT' }) } },
});

let keys = 0;
async function makeProvider(issuer, options) {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const accessTokenSeconds = options.accessTokenSeconds ?? 3600;
  const { features, formats } = options.tokenSecret ? signedTokens(options.tokenSecret, accessTokenSeconds) : {};
  const key = { ...(await exportJWK(privateKey)), kid: `key-${++keys}`, alg: 'RS256', use: 'sig' };
  provider = new Provider(issuer, {
    adapter: MemoryAdapter,
    jwks: { keys: [key] },
    cookies: { keys: ['test'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'given_name', 'family_name'] },
    scopes: ['openid', 'offline_access', 'email', 'profile', 'mail', 'contacts'],
    conformIdTokenClaims: false,
    features: {
      devInteractions: { enabled: true },
      backchannelLogout: { enabled: true },
      revocation: { enabled: true },
      rpInitiatedLogout: { enabled: true },
      ...features,
    },
    ...(formats ? { formats } : {}),
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async (_context, client, code) =>
      client.grantTypeAllowed('refresh_token') &&
      // It grants offline_access only with a prompt, which logins do without.
      (options.tokenSecret !== undefined || code.scopes.has('offline_access')),
    ttl: {
      AccessToken: accessTokenSeconds,
      Session: 3600,
      Grant: 3600,
      IdToken: 3600,
      Interaction: 600,
      RefreshToken: 3600,
    },
    findAccount: async (_context, id) => ({ accountId: id, claims: async () => ({ sub: id, ...accounts.get(id) }) }),
    // Its own guard refuses loopback addresses, where everything of a test is.
    fetch: (url, init) => fetch(url, { ...init, dispatcher: undefined }),
  });
  provider.on('backchannel.error', (_context, error) => console.error(error));
  provider.on('server_error', (_context, error) => console.error(error));
  provider.use(async (context, next) => {
    await next();
    if (context.oidc?.route === 'revocation' && context.status === 200) revocations += 1;
  });
  provider.on('grant.success', (context) => {
    if (context.oidc.params.grant_type === 'refresh_token') refreshes += 1;
  });
}

let issuer;
const actions = {
  client: ({ client }) => void tableOf('Client').set(client.client_id, client),
  account: ({ name, claims }) => void accounts.set(name, claims),
  rotate: (options) => makeProvider(issuer, options),
  down: ({ value }) => void (isDown = value),
  refreshes: () => refreshes,
  revocations: () => revocations,
  revokeGrants: () => {
    for (const name of ['Grant', 'RefreshToken', 'AccessToken']) tableOf(name).clear();
  },
};

server.listen(0, '127.0.0.1', async () => {
  issuer = `http://127.0.0.1:${server.address().port}`;
  await makeProvider(issuer, JSON.parse(process.argv[2] ?? '{}'));
  process.on('message', async ({ id, action, ...rest }) => {
    try {
      process.send({ id, value: await actions[action](rest) });
    } catch (error) {
      process.send({ id, error: String(error) });
    }
  });
  process.send({ issuer });
});
process.on('disconnect', () => process.exit(0));
