import { inflateRawSync } from 'node:zlib';
import { createVerify } from 'node:crypto';
import { until } from '@groupware/test-kit';
import { AdminClient, Client } from '../client';
import { createContext, createTestUser, PASSWORD, type TestUser } from '../fixtures';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { PlainBrowser } from './provider-browser';
import { makeKeyPair, SamlIdentityProvider, type AnswerParts } from './saml-identity-provider';

const ENTITY = 'https://office.example/saml';
const HOST = 'https://office.example';
const ACS = `${HOST}/saml/acs`;
const SLS = `${HOST}/saml/sls`;
const signing = makeKeyPair('service provider');
const decryption = makeKeyPair('decryption');
const stranger = makeKeyPair('stranger');
const idp = new SamlIdentityProvider(ENTITY, ACS);
let world: TestEnvironment;
let contextId: number;
let U1: TestUser;

beforeAll(async () => {
  world = await startTestEnvironment({
    modules: ['identity', 'settings', 'folders', 'calendar', 'sso', 'gateway'],
    properties: {
      'com.example.saml.enabled': 'true',
      'com.example.saml.entityID': ENTITY,
      'com.example.saml.acsURL': ACS,
      'com.example.saml.slsURL': SLS,
      'com.example.saml.idpEntityID': idp.entityId,
      'com.example.saml.idpAuthnURL': 'https://idp.example/login',
      'com.example.saml.idpLogoutURL': 'https://idp.example/logout',
      'com.example.saml.idpCertificate': idp.keys.certificateText,
      'com.example.saml.signingKey': signing.keyText,
      'com.example.saml.signingCertificate': signing.certificateText,
      'com.example.saml.decryptionKey': decryption.keyText,
      'com.example.saml.decryptionCertificate': decryption.certificateText,
      'com.example.saml.enableSingleLogout': 'true',
      'com.example.saml.enableMetadataService': 'true',
      'com.example.saml.uiWebPath': '/ui/',
      'com.example.saml.tenants': 'school,portal,home',
      'com.example.saml.school.enableMetadataService': 'false',
      'com.example.saml.school.hosts': 'school.example',
      'com.example.saml.portal.allowUnsolicitedResponses': 'true',
      'com.example.saml.portal.hosts': 'portal.example',
      'com.example.saml.home.hosts': 'home.example',
      'com.example.saml.home.enableAutoLogin': 'true',
    },
  });
  const admin = new AdminClient(world.internalUrl, world.master.login, world.master.password);
  contextId = await createContext(admin, 'saml');
  U1 = await createTestUser(world, admin, contextId, 'u1');
}, 120_000);
afterAll(() => world?.close());

const nameOf = (user: string): string => `${user}@${contextId}`;
const at = (path: string, parameters: Record<string, string> = {}): string =>
  `${world.publicUrl}${path}?${new URLSearchParams(parameters)}`;
const decode = (message: string): string => inflateRawSync(Buffer.from(message, 'base64')).toString();

/** Begins a login; answers state, id of the request, and the query as sent. */
async function begin(browser: PlainBrowser, tenant = ''): Promise<{ state: string; id: string; query: string }> {
  const response = await browser.request(
    at(`/saml${tenant}/init`, { flow: 'login', redirect: 'true', client: 'web', hash: 'm=mail' }),
  );
  expect(response.status).toBe(302);
  const address = new URL(response.headers.get('location')!);
  const xml = decode(address.searchParams.get('SAMLRequest')!);
  return {
    state: address.searchParams.get('RelayState')!,
    id: /ID="([^"]+)"/.exec(xml)![1]!,
    query: address.search.slice(1),
  };
}
const send = (browser: PlainBrowser, answer: string, state?: string, tenant = ''): Promise<Response> =>
  browser.request(`${world.publicUrl}/saml${tenant}/acs`, {
    method: 'POST',
    body: new URLSearchParams({ SAMLResponse: answer, ...(state === undefined ? {} : { RelayState: state }) }),
  });
/** Begins a login and sends an answer to it. */
async function answerWith(parts: AnswerParts, browser = new PlainBrowser()): Promise<Response> {
  const { state, id } = await begin(browser);
  return send(browser, await idp.answer({ nameId: nameOf('u1'), inResponseTo: id, ...parts }), state);
}
async function expectRefusal(response: Response, code = 'SAML-0007'): Promise<string> {
  const html = await response.text();
  expect([response.status, response.headers.get('location')]).toEqual([403, null]);
  expect(html).toContain(code);
  return html.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, 'id');
}
/** Logs in; answers the session. */
async function logIn(browser: PlainBrowser, parts: AnswerParts = {}): Promise<string> {
  const taken = await answerWith(parts, browser);
  expect(taken.status).toBe(302);
  const end = await browser.follow(
    new URL(taken.headers.get('location')!, world.publicUrl).href,
    (to) => new URL(to).hash !== '',
  );
  const facts = new URLSearchParams(new URL(end.url).hash.slice(1));
  expect(facts.get('user_id')).toBe(String(U1.userId));
  return facts.get('session')!;
}
function clientOf(browser: PlainBrowser, session: string, replica = world.publicUrl): Client {
  const client = new Client(replica, browser.userAgent);
  for (const pair of browser.cookiesFor(world.publicUrl).split('; '))
    client.setCookie(pair.split('=')[0]!, pair.split('=').slice(1).join('='));
  return Object.assign(client, { session });
}
const isLive = async (browser: PlainBrowser, session: string, replica?: string): Promise<boolean> =>
  (await clientOf(browser, session, replica).get('system', 'whoami')).error === undefined;

describe('login by SAML', () => {
  it('SO-63: leads from the signed assertion to a session, with the deep link', async () => {
    const browser = new PlainBrowser();
    expect(await isLive(browser, await logIn(browser))).toBe(true);
    expect(browser.visited.some((url) => url.includes('/login?action=samlLogin&token='))).toBe(true);
  });

  it('SO-63: lets browsers come back by a cookie, where operators want it', async () => {
    const browser = new PlainBrowser();
    const { state, id } = await begin(browser, '/home');
    const taken = await send(browser, await idp.answer({ nameId: nameOf('u1'), inResponseTo: id }), state, '/home');
    const login = new URL(taken.headers.get('location')!, world.publicUrl).href;
    const end = await browser.follow(login, (to) => new URL(to).hash !== '');
    const session = new URLSearchParams(new URL(end.url).hash.slice(1)).get('session')!;
    expect(browser.cookiesFor(world.publicUrl)).toMatch(/svc-saml-\w+=[0-9a-f]{32}/);
    const addressOf = async (tenant: string, flow: string) =>
      (await browser.request(at(`/saml${tenant}/init`, { flow, redirect: 'true' }))).headers.get('location');
    expect(await addressOf('/home', 'login')).toContain(`/ui/#session=${session}&`);
    expect(await addressOf('/home', 'relogin')).toMatch(/^https:\/\/idp\.example\/login/);
    expect(await addressOf('', 'login')).toMatch(/^https:\/\/idp\.example\/login/);
  });

  it('SO-79: gives a session that changes no password, whoever knows it', async () => {
    const browser = new PlainBrowser();
    const client = clientOf(browser, await logIn(browser));
    const body = { old_password: PASSWORD, new_password: 'another horse 2' };
    expect((await client.put('passwordchange', 'update', {}, body)).code).toBe('SVL-0016');
  });

  it('SO-64: sends a request whose signature covers the query as sent', async () => {
    const { query } = await begin(new PlainBrowser());
    const parameters = new URLSearchParams(query);
    const xml = decode(parameters.get('SAMLRequest')!);
    for (const part of [
      /ID="_[0-9a-f]{32}"/,
      /IssueInstant="/,
      /Destination="https:\/\/idp.example\/login"/,
      new RegExp(`AssertionConsumerServiceURL="${ACS}"`),
      /ProtocolBinding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"/,
      new RegExp(`<saml:Issuer[^>]*>${ENTITY}<`),
    ])
      expect(xml).toMatch(part);
    expect(parameters.get('SigAlg')).toBe('http://www.w3.org/2001/04/xmldsig-more#rsa-sha256');
    const covered = query.slice(0, query.indexOf('&Signature='));
    expect(
      createVerify('RSA-SHA256').update(covered).verify(signing.certificate, parameters.get('Signature')!, 'base64'),
    ).toBe(true);
  });

  it('takes a signature over the response, too', async () => {
    expect((await answerWith({ sign: 'response' })).status).toBe(302);
  });

  it('SO-67: takes an assertion that is encrypted for us, and no other, with the page of a wrong signature', async () => {
    expect((await answerWith({ encryptFor: decryption.certificate })).status).toBe(302);
    const other = await expectRefusal(await answerWith({ encryptFor: stranger.certificate }));
    expect(other).toBe(await expectRefusal(await answerWith({ by: stranger })));
  });

  it('SO-65: the whole text of a name counts, with a comment in it', async () => {
    const { state, id } = await begin(new PlainBrowser());
    const name = `u1@${contextId}<!-- -->.evil`;
    const response = await send(new PlainBrowser(), await idp.answer({ nameId: name, inResponseTo: id }), state);
    await expectRefusal(response, 'SAML-0010');
  });

  it('SO-53: refuses users nobody knows', async () => {
    await expectRefusal(await answerWith({ nameId: 'nobody@nowhere' }), 'SAML-0010');
  });

  it('SO-73: takes a reservation once, in the browser that asked only', async () => {
    const browser = new PlainBrowser();
    const taken = await answerWith({}, browser);
    const reserved = new URL(taken.headers.get('location')!, world.publicUrl).href;
    expect((await browser.request(reserved)).status).toBe(302);
    expect((await browser.request(reserved)).status).toBe(403);
    const second = await answerWith({}, browser);
    const stolen = new URL(second.headers.get('location')!, world.publicUrl).href;
    expect((await new PlainBrowser().request(stolen)).status).toBe(403);
    expect((await browser.request(at('/login', { action: 'samlLogin' }))).status).toBe(400);
  });

  it('answers 400 for another flow, and 404 for a tenant that is not set up', async () => {
    expect((await new PlainBrowser().request(at('/saml/init', { flow: 'dance' }))).status).toBe(400);
    expect((await new PlainBrowser().request(at('/saml/init'))).status).toBe(400);
    expect((await new PlainBrowser().request(at('/saml/nobody/init', { flow: 'login' }))).status).toBe(404);
    const answer = await new PlainBrowser().request(at('/saml/school/init', { flow: 'login' }));
    expect(await answer.json()).toEqual({
      redirect_uri: expect.stringMatching(/^https:\/\/idp.example\/login\?SAMLRequest=/),
    });
  });
});

describe('what is refused', () => {
  it.each<[string, AnswerParts]>([
    ['SO-65: signed by somebody else', { by: stranger }],
    ['not signed', { sign: 'none' }],
    ['SO-66: for another service', { audience: 'https://other.example/saml' }],
    ['SO-66: for another address', { recipient: 'https://other.example/acs' }],
    ['SO-66: sent to another address', { destination: 'https://other.example/acs' }],
    ['SO-66: sent to another address, and signed so', { destination: 'https://other.example/acs', sign: 'response' }],
    ['SO-66: expired', { notBefore: -300, notOnOrAfter: -120 }],
    ['SO-66: not yet valid', { notBefore: 300, notOnOrAfter: 600 }],
    ['SO-66: an answer to another request', { inResponseTo: '_other' }],
    ['of another issuer', { issuer: 'https://evil.example' }],
    ['SO-70: a failure of the provider', { status: 'Responder', withAssertion: false, sign: 'none' }],
    ['SO-71: signed with SHA-1', { algorithm: 'sha1' }],
  ])('%s', async (_name, parts) => {
    await expectRefusal(await answerWith(parts));
  });

  it('SO-66: within the allowed difference of clocks it is taken', async () => {
    expect((await answerWith({ notOnOrAfter: -30 })).status).toBe(302);
  });

  it('SO-65: wrapped messages: a signed assertion beside an evil one', async () => {
    const wrap = async (build: (signed: string, evil: string) => string): Promise<void> => {
      const { state, id } = await begin(new PlainBrowser());
      const parts = { nameId: nameOf('u1'), inResponseTo: id };
      const whole = await idp.answerXml(parts);
      const signed = /<saml:Assertion .*<\/saml:Assertion>/s.exec(whole)![0];
      const evil = idp.assertionXml({ ...parts, nameId: nameOf('admin'), id: /ID="([^"]+)"/.exec(signed)![1]! });
      const xml = whole.replace(signed, () => build(signed, evil));
      await expectRefusal(await send(new PlainBrowser(), Buffer.from(xml).toString('base64'), state));
    };
    const signature = (signed: string): string => /<(?:ds:)?Signature .*<\/(?:ds:)?Signature>/s.exec(signed)![0];
    await wrap((signed, evil) => evil + signed);
    await wrap((signed, evil) => signed + evil);
    await wrap((signed, evil) =>
      evil.replace('<saml:Subject>', () => `<saml:Advice>${signed}</saml:Advice><saml:Subject>`),
    );
    await wrap((signed, evil) => evil.replace('<saml:Subject>', () => `${signature(signed)}<saml:Subject>`));
    await wrap((signed, evil) =>
      evil.replace(
        '<saml:Subject>',
        () =>
          `${signature(signed).replace(/(<\/(?:ds:)?Signature>)$/, (end) => `<Object>${signed}</Object>${end}`)}<saml:Subject>`,
      ),
    );
    await wrap((signed) => signed.replace(nameOf('u1'), nameOf('admin')));
  });

  it('SO-68: the same answer twice, also with another state', async () => {
    const browser = new PlainBrowser();
    const { state, id } = await begin(browser);
    const answer = await idp.answer({ nameId: nameOf('u1'), inResponseTo: id });
    expect((await send(browser, answer, state)).status).toBe(302);
    await expectRefusal(await send(browser, answer, state), 'SAML-0008');
    await expectRefusal(await send(browser, answer, (await begin(browser)).state));
    const empty = { method: 'POST', body: new URLSearchParams({ RelayState: state }) };
    await expectRefusal(await browser.request(`${world.publicUrl}/saml/acs`, empty), 'SAML-0008');
  });

  it('SO-69: answers nobody asked for, except where they are allowed, and once there', async () => {
    await expectRefusal(await send(new PlainBrowser(), await idp.answer({ nameId: nameOf('u1') })), 'SAML-0008');
    await expectRefusal(
      await send(new PlainBrowser(), await idp.answer({ nameId: nameOf('u1') }), '0'.repeat(32)),
      'SAML-0008',
    );
    const allowed = await idp.answer({ nameId: nameOf('u1') });
    expect((await send(new PlainBrowser(), allowed, undefined, '/portal')).status).toBe(302);
    await expectRefusal(await send(new PlainBrowser(), allowed, undefined, '/portal'), 'SAML-0008');
    const asked = await idp.answer({ nameId: nameOf('u1'), inResponseTo: '_stolen' });
    await expectRefusal(await send(new PlainBrowser(), asked, undefined, '/portal'));
  });

  it('SO-61: the state of one tenant at another', async () => {
    const browser = new PlainBrowser();
    const { state, id } = await begin(browser, '/school');
    const answer = await idp.answer({ nameId: nameOf('u1'), inResponseTo: id });
    await expectRefusal(await send(browser, answer, state), 'SAML-0008');
  });

  it('SO-72: what is too large, too deep or brings entities', async () => {
    const stateOfOne = async (): Promise<string> => (await begin(new PlainBrowser())).state;
    for (const xml of [
      '<a>'.repeat(10_000) + '</a>'.repeat(10_000),
      '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>',
      'no XML',
      '',
    ])
      await expectRefusal(
        await send(new PlainBrowser(), Buffer.from(xml).toString('base64') || 'x', await stateOfOne()),
      );
    const large = await send(new PlainBrowser(), 'x'.repeat(5_000_000), await stateOfOne());
    expect(large.headers.get('location')).toBeNull();
    expect(await large.text()).toContain('error');
  });
});

describe('single logout', () => {
  const sls = (query: string, browser = new PlainBrowser()): Promise<Response> =>
    browser.request(`${world.publicUrl}/saml/sls?${query}`);

  it('SO-74: leads through the provider and ends the session', async () => {
    const browser = new PlainBrowser();
    const session = await logIn(browser, { sessionIndex: '_of logout' });
    expect((await new PlainBrowser().request(at('/saml/init', { flow: 'logout', session }))).status).toBe(400);
    const begun = await browser.request(at('/saml/init', { flow: 'logout', redirect: 'true', session }));
    const address = new URL(begun.headers.get('location')!);
    const xml = decode(address.searchParams.get('SAMLRequest')!);
    expect(address.href).toMatch(/^https:\/\/idp.example\/logout\?/);
    expect(xml).toContain(nameOf('u1'));
    expect(xml).toContain('_of logout');
    expect(address.searchParams.get('Signature')).toBeTruthy();
    const id = /ID="([^"]+)"/.exec(xml)![1]!;
    const answer = idp.logoutAnswer(SLS, id, address.searchParams.get('RelayState')!);
    await expectRefusal(await sls(answer.replace(/&Signature=.*/, '')));
    const back = await sls(answer, browser);
    expect(back.headers.get('location')).toMatch(/^\/login\?action=samlLogout&session=/);
    expect((await browser.request(new URL(back.headers.get('location')!, world.publicUrl).href)).status).toBe(302);
    expect(await isLive(browser, session)).toBe(false);
    await expectRefusal(await sls(answer, browser), 'SAML-0008');
  });

  it('SO-75, SO-76: the provider ends the sessions of its session, and no others', async () => {
    const [first, second] = [new PlainBrowser(), new PlainBrowser()];
    const one = await logIn(first, { sessionIndex: '_one' });
    const two = await logIn(second, { sessionIndex: '_two' });
    const nameId = nameOf('u1');
    const unknown = await sls(idp.logoutQuery(SLS, { nameId, sessionIndex: '_unknown' }));
    expect(unknown.status).toBe(302);
    expect([await isLive(first, one), await isLive(second, two)]).toEqual([true, true]);
    for (const bad of [
      idp.logoutQuery(SLS, { nameId, sessionIndex: '_one', by: stranger }),
      idp.logoutQuery(SLS, { nameId, sessionIndex: '_one' }).replace(/&Signature=.*/, ''),
      idp.logoutQuery(SLS, { nameId, sessionIndex: '_one', until: -120 }),
      idp.logoutQuery('https://other.example/sls', { nameId, sessionIndex: '_one' }),
    ])
      await expectRefusal(await sls(bad));
    const query = idp.logoutQuery(SLS, { nameId, sessionIndex: '_one', state: 'of the provider' });
    const smuggled = idp.logoutQuery(SLS, { nameId, sessionIndex: '_two', by: stranger }).split('&')[0]!;
    await expectRefusal(await sls(`${smuggled}&${query}`));
    const ended = await sls(query);
    const address = new URL(ended.headers.get('location')!);
    expect(address.searchParams.get('RelayState')).toBe('of the provider');
    expect(decode(address.searchParams.get('SAMLResponse')!)).toMatch(/InResponseTo="_.*status:Success/s);
    expect([await isLive(first, one), await isLive(second, two)]).toEqual([false, true]);
    await expectRefusal(await sls(query), 'SAML-0008');
  });

  it('SO-75: ends them within a second on every replica', async () => {
    const { GROUPWARE_BUS_PREFIX, GROUPWARE_PRINCIPAL_KEY } = world.environment;
    const variables = {
      GROUPWARE_BUS_PREFIX: GROUPWARE_BUS_PREFIX!,
      GROUPWARE_PRINCIPAL_KEY: GROUPWARE_PRINCIPAL_KEY!,
    };
    const second = await startTestEnvironment({ modules: ['gateway'], variables });
    try {
      const browser = new PlainBrowser();
      const session = await logIn(browser, { sessionIndex: '_everywhere' });
      const live = () => Promise.all([world, second].map(({ publicUrl }) => isLive(browser, session, publicUrl)));
      expect(await live()).toEqual([true, true]);
      expect((await sls(idp.logoutQuery(SLS, { nameId: nameOf('u1'), sessionIndex: '_everywhere' }))).status).toBe(302);
      await until(async () => !(await live()).includes(true), 1_000);
    } finally {
      await second.close();
    }
  }, 60_000);

  it('SO-75: the same by form; without index all sessions of the user end', async () => {
    const browser = new PlainBrowser();
    const session = await logIn(browser, { sessionIndex: '_form' });
    const post = (xml: string): Promise<Response> =>
      browser.request(`${world.publicUrl}/saml/sls`, {
        method: 'POST',
        body: new URLSearchParams({ SAMLRequest: Buffer.from(xml).toString('base64') }),
      });
    const xml = idp.logoutXml(SLS, { nameId: nameOf('u1') });
    await expectRefusal(await post(xml));
    await expectRefusal(await post(idp.sign(xml, 'LogoutRequest', { by: stranger })));
    const sentElsewhere = idp.logoutXml('https://other.example/sls', { nameId: nameOf('u1') });
    await expectRefusal(await post(idp.sign(sentElsewhere, 'LogoutRequest', {})));
    expect(await isLive(browser, session)).toBe(true);
    expect((await post(idp.sign(xml, 'LogoutRequest', {}))).status).toBe(302);
    expect(await isLive(browser, session)).toBe(false);
  });
});

describe('metadata', () => {
  it('SO-77, SO-78: name addresses and public certificates, where they are on', async () => {
    const response = await fetch(at('/saml/metadata'));
    expect(response.headers.get('content-type')).toContain('application/samlmetadata+xml');
    const xml = await response.text();
    for (const part of [`entityID="${ENTITY}"`, 'AuthnRequestsSigned="true"', ACS, SLS]) expect(xml).toContain(part);
    const texts = xml.replaceAll(/\s/g, '');
    expect(texts).toContain(signing.certificateText);
    expect(texts).toContain(decryption.certificateText);
    expect(texts).not.toContain(signing.keyText.slice(0, 60));
    expect((await fetch(at('/saml/school/metadata'))).status).toBe(404);
  });
});
