// node bench/oauth.mjs: one call with the access token of an application beside the same with a session. See README.md.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import {
  administer,
  createUsers,
  enter,
  PASSWORD,
  requireBuild,
  runBench,
  servers,
  startSystem,
} from './lib/system.mjs';
import { Report } from './lib/turns.mjs';

/** A token may take one and a half times as long. */
const GOAL = 1 / 1.5;
/** Address at which nothing listens: the code is read from the redirect. */
const BACK = 'http://127.0.0.1:9/back';

/** Sends the form of a page; answers where it leads to, and the next page. */
async function submit({ url, response, cookies }, fields) {
  const html = await response.text();
  const action = /<form[^>]*action="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&');
  if (!action) throw new Error(`no form at ${url}: ${html.slice(0, 300)}`);
  const hidden = [...html.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([tag]) => [
    /name="([^"]*)"/.exec(tag)[1],
    /value="([^"]*)"/.exec(tag)?.[1] ?? '',
  ]);
  return visit(new URL(action, url).href, cookies, {
    method: 'POST',
    body: new URLSearchParams({ ...Object.fromEntries(hidden), ...fields }),
  });
}

/** Opens a page as a browser without scripts does; it keeps cookies. */
async function visit(url, cookies = new Map(), init = {}) {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const headers = { 'user-agent': 'groupware-bench', cookie };
  const response = await fetch(url, { ...init, headers, redirect: 'manual' });
  for (const line of response.headers.getSetCookie()) {
    const [pair] = line.split(';');
    cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
  }
  return { url, response, cookies };
}

/** An access token of an application to which the user grants access. */
async function tokenOf({ publicUrl, internalUrl }, login) {
  const app = await administer(internalUrl, 'POST', '/admin/v1/oauth/clients', {
    ...{ name: 'Bench', description: 'Measures', website: 'https://bench.example' },
    ...{ redirectURIs: [BACK], defaultScope: ['read_calendar'] },
  });
  const verifier = randomBytes(32).toString('base64url');
  const question = new URLSearchParams({
    ...{ client_id: app.id, redirect_uri: BACK, response_type: 'code', state: 'bench', scope: 'read_calendar' },
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const consent = await submit(await visit(`${publicUrl}/oauth/provider/authorization?${question}`), {
    login,
    password: PASSWORD,
  });
  const { response } = await submit(consent, { decision: 'allow' });
  const answer = await fetch(`${publicUrl}/oauth/provider/accessToken`, {
    method: 'POST',
    body: new URLSearchParams({
      ...{ grant_type: 'authorization_code', client_id: app.id, client_secret: app.secret, redirect_uri: BACK },
      code: new URL(response.headers.get('location')).searchParams.get('code'),
      code_verifier: verifier,
    }),
  });
  return (await answer.json()).access_token;
}

async function main() {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '30' },
      json: { type: 'string' },
      /** Fail when the goal is missed. */
      check: { type: 'boolean', default: false },
    },
  });
  requireBuild();
  const environment = await servers();
  const system = await startSystem(environment, {
    more: ['sso', 'settings'],
    properties: { 'com.example.oauth.provider.enabled': 'true' },
  });
  const [login] = await createUsers(system.internalUrl, {}, ['ann']);
  const { client } = await enter(system.publicUrl, login);
  const headers = { authorization: `Bearer ${await tokenOf(system, login)}` };
  const withToken = async () => (await fetch(`${system.publicUrl}/user/me`, { headers })).text();
  const withSession = async () => (await client.text('GET', 'user/me', {})).toString();
  assert.equal(await withToken(), await withSession(), 'token and session are answered differently');
  const report = new Report(values);
  await report.compare('user/me with a token, and with a session', GOAL, [withToken, withSession]);
  report.finish();
}

await runBench(main, { minutes: 4 });
