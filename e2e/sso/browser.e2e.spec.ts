import { OpenIdProvider } from '@groupware/test-kit';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../browser';
import { AdminClient } from '../client';
import { createContext, createTestUser } from '../fixtures';
import { keepOutOfLogs } from '../secrets';
import { startTestEnvironment, type LocalTestEnvironment } from '../test-environment';
import { makeKeyPair, type KeyPair } from './saml-identity-provider';
import { SamlProviderSite } from './saml-provider-site';

const SECRET = 'secret of the product at the provider';
const ENTITY = 'https://office.example/saml';
let provider: OpenIdProvider;
/** At another site than the product. */
let idp: SamlProviderSite;
let world: LocalTestEnvironment;
let browser: Browser;
let login: string;

beforeAll(async () => {
  provider = await OpenIdProvider.start();
  idp = await SamlProviderSite.start();
  const [signing, decryption] = ['service provider', 'decryption'].map(makeKeyPair) as [KeyPair, KeyPair];
  const properties = {
    'com.example.oidc.enabled': 'true',
    'com.example.oidc.clientId': 'groupware',
    'com.example.oidc.clientSecret': SECRET,
    'com.example.oidc.opIssuer': provider.issuer,
    'com.example.oidc.allowPlain': 'true',
    'com.example.oidc.ssoLogout': 'true',
    'com.example.oidc.uiWebPath': '/ui/',
    'com.example.oidc.rpRedirectURILogout': '/goodbye',
  };
  world = await startTestEnvironment({
    modules: ['identity', 'settings', 'folders', 'calendar', 'sso', 'gateway'],
    variables: { GROUPWARE_OUTBOUND_ALLOW: '127.0.0.1' },
    properties,
  });
  const origin = world.publicUrl;
  await world.setProperties({
    'com.example.saml.enabled': 'true',
    'com.example.saml.entityID': ENTITY,
    'com.example.saml.acsURL': `${origin}/saml/acs`,
    'com.example.saml.slsURL': `${origin}/saml/sls`,
    'com.example.saml.idpEntityID': idp.entityId,
    'com.example.saml.idpAuthnURL': `${idp.url}/login`,
    'com.example.saml.idpLogoutURL': `${idp.url}/logout`,
    'com.example.saml.idpCertificate': idp.certificateText,
    'com.example.saml.signingKey': signing.keyText,
    'com.example.saml.signingCertificate': signing.certificateText,
    'com.example.saml.decryptionKey': decryption.keyText,
    'com.example.saml.decryptionCertificate': decryption.certificateText,
    'com.example.saml.enableSingleLogout': 'true',
    'com.example.saml.enableMetadataService': 'true',
    'com.example.saml.uiWebPath': '/ui/',
  });
  idp.trust(await (await fetch(`${origin}/saml/metadata`)).text());
  await provider.putClient({
    client_id: 'groupware',
    client_secret: SECRET,
    redirect_uris: [`${origin}/oidc/auth`],
    post_logout_redirect_uris: [`${origin}/oidc/logout`],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    scope: 'openid email profile offline_access',
  });
  const admin = new AdminClient(world.internalUrl, world.master.login, world.master.password);
  const contextId = await createContext(admin, 'browser');
  await createTestUser(world, admin, contextId, 'u1');
  login = `u1@${contextId}`;
  browser = await launchBrowser();
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await world?.close();
  await provider?.close();
  await idp?.close();
}, 60_000);

const start = (path: string, parameters: Record<string, string>): string =>
  `${world.publicUrl}${path}?${new URLSearchParams({ redirect: 'true', client: 'web', ...parameters })}`;

/** The session that the address of the web client tells. */
async function sessionOf(page: Page): Promise<string> {
  await page.waitForURL((url) => url.hash.includes('session='), { waitUntil: 'commit' });
  const session = new URLSearchParams(new URL(page.url()).hash.slice(1)).get('session')!;
  keepOutOfLogs(session);
  return session;
}

/** What the API answers a script of the page. */
const whoami = (page: Page, session: string): Promise<{ error?: string; data?: { user?: string } }> =>
  page.evaluate(
    async (address) => (await fetch(address)).json() as Promise<{ error?: string; data?: { user?: string } }>,
    `${world.publicUrl}/system?${new URLSearchParams({ action: 'whoami', session })}`,
  );

describe('a real browser', () => {
  it('logs in by OpenID Connect, uses the session, and logs out at the provider', async () => {
    const page = await (await browser.newContext()).newPage();
    await page.goto(start('/oidc/init', { flow: 'login' }));
    await page.fill('[name=login]', login);
    await page.fill('[name=password]', 'any');
    await page.click('[type=submit]');
    // It asks whether the product may have the data.
    await page.click('[type=submit]');
    const session = await sessionOf(page);
    expect(await whoami(page, session)).not.toHaveProperty('error');
    await page.goto(start('/oidc/init', { flow: 'logout', session }));
    await page.click('[name=logout]');
    await page.waitForURL(`${world.publicUrl}/goodbye`, { waitUntil: 'commit' });
    expect(await whoami(page, session)).toHaveProperty('error');
  }, 60_000);

  const logInBySaml = async (page: Page): Promise<string> => {
    await page.goto(start('/saml/init', { flow: 'login' }));
    expect(new URL(page.url()).hostname).toBe('localhost');
    await page.fill('[name=login]', login);
    await page.click('button');
    await page.click('button');
    return sessionOf(page);
  };

  it('logs in by SAML from a page of another site, whose form brings no cookie, and logs out at the provider', async () => {
    const page = await (await browser.newContext()).newPage();
    const session = await logInBySaml(page);
    expect(await whoami(page, session)).not.toHaveProperty('error');
    // A session without the cookies of the browser opens nothing.
    const other = await (await browser.newContext()).newPage();
    await other.goto(`${world.publicUrl}/ui/`);
    expect(await whoami(other, session)).toHaveProperty('error');
    await page.goto(start('/saml/init', { flow: 'logout', session }));
    await page.waitForURL((url) => url.origin === world.publicUrl, { waitUntil: 'commit' });
    expect(await whoami(page, session)).toHaveProperty('error');
  }, 60_000);

  it('is logged out by the identity provider', async () => {
    const page = await (await browser.newContext()).newPage();
    const session = await logInBySaml(page);
    await page.goto(`${idp.url}/leave?${new URLSearchParams({ login })}`);
    await page.waitForSelector('#left');
    expect(idp.logouts).toHaveLength(1);
    await page.goto(`${world.publicUrl}/ui/`);
    expect(await whoami(page, session)).toHaveProperty('error');
  }, 60_000);
});
