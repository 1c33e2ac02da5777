import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../browser';
import { createContext, PASSWORD } from '../fixtures';
import { AdminClient } from '../client';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

/** Runs in the page: what a client does for registration and login with a security key. */
const CLIENT = `
  const send = async (method, path, body) => {
    const response = await fetch(path, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    return response.json();
  };
  const device = (method, action, rest, body) =>
    send(method, '/multifactor/device?action=' + action + '&session=' + window.session + rest, body);
  window.logIn = async (name, password) => {
    const body = new URLSearchParams({ name, password });
    const answer = await (await fetch('/login?action=login', { method: 'POST', body })).json();
    window.session = answer.session;
    return answer;
  };
  window.probe = () => send('GET', '/user?action=get&session=' + window.session);
  window.register = async () => {
    const { data } = await device('PUT', 'startRegistration', '', { providerName: 'WEB-AUTH', name: 'Key' });
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(data.challenge.publicKey);
    const credential = await navigator.credentials.create({ publicKey });
    return device('PUT', 'finishRegistration', '&providerName=WEB-AUTH&deviceId=' + data.deviceId, credential.toJSON());
  };
  window.show = async (id, change) => {
    const query = '&providerName=WEB-AUTH&deviceId=' + id;
    const { data } = await device('GET', 'startAuthentication', query);
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(data.challenge.publicKey);
    const answer = (await navigator.credentials.get({ publicKey })).toJSON();
    window.answer = answer;
    if (change) answer.response.signature = answer.response.signature.replace(/^.{8}/, 'AAAAAAAA');
    return device('PUT', 'finishAuthentication', query, answer);
  };
  window.replay = (id) =>
    device('PUT', 'finishAuthentication', '&providerName=WEB-AUTH&deviceId=' + id, window.answer);
`;

describe('WebAuthn in a browser with a virtual authenticator', () => {
  let world: TestEnvironment;
  let browser: Browser;
  let page: Page;
  let admin: AdminClient;
  const run = (expression: string): Promise<any> => page.evaluate(expression);

  beforeAll(async () => {
    world = await startTestEnvironment({ modules: ['identity', 'gateway'] });
    admin = new AdminClient(world.internalUrl, world.master.login, world.master.password);
    browser = await launchBrowser();
    page = await browser.newPage();
    const session = await page.context().newCDPSession(page);
    await session.send('WebAuthn.enable');
    await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'usb',
        hasResidentKey: false,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    // Credentials are bound to a name, which an address is not.
    await page.goto(`${world.publicUrl.replace('127.0.0.1', 'localhost')}/login?action=hasAutologin`);
    await page.evaluate(CLIENT);
  }, 90_000);
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  /** A user without devices. */
  const newLogin = async (name: string): Promise<string> => `admin@${await createContext(admin, name)}`;

  it('registers a key and opens the next session with it, each answer once', async () => {
    const login = await newLogin('webauthn');
    expect(await run(`logIn('${login}', '${PASSWORD}')`)).not.toHaveProperty('requires_multifactor');
    const { data: device } = await run('register()');
    expect(device).toMatchObject({ name: 'Key', providerName: 'WEB-AUTH', enabled: true, backup: false });
    expect(await run(`logIn('${login}', '${PASSWORD}')`)).toMatchObject({ requires_multifactor: true });
    expect(await run('probe()')).toMatchObject({ code: 'MFA-0001' });
    expect(await run(`show('${device.id}', true)`)).toMatchObject({ code: 'MFA-0023' });
    expect(await run('probe()')).toMatchObject({ code: 'MFA-0001' });
    expect(await run(`show('${device.id}')`)).toEqual({ data: { result: 'OK' } });
    expect(await run('probe()')).toHaveProperty('data');
    await run(`logIn('${login}', '${PASSWORD}')`);
    expect(await run(`replay('${device.id}')`)).toMatchObject({ code: 'MFA-0023' });
  });

  it('refuses to register the same key twice', async () => {
    const login = await newLogin('webauthn-twice');
    await run(`logIn('${login}', '${PASSWORD}')`);
    expect(await run('register()')).toHaveProperty('data');
    // The browser itself refuses what is in the list of known keys.
    await expect(run('register()')).rejects.toThrow(/InvalidStateError|already registered|previously registered/);
  });
});
