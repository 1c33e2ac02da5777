import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { demoMail, isMailConfigured } from './demo-mail.mjs';

const KEY = 'com.example.mail.mailServer';
const VARIABLE = 'GROUPWARE_PROPERTY_COM_EXAMPLE_MAIL_MAILSERVER';
let folder: string;
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'demo-mail-'));
  fs.writeFileSync(path.join(folder, 'with.properties'), `a=b\n${KEY} = imaps://mail.test\n`);
  fs.writeFileSync(path.join(folder, 'without.properties'), `# ${KEY}=imaps://mail.test\n${KEY}Source=user\n`);
  fs.mkdirSync(path.join(folder, 'secrets'));
  fs.writeFileSync(path.join(folder, 'secrets', KEY), 'imaps://mail.test');
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const inFolder = (...names: string[]) => names.map((name) => path.join(folder, name)).join(',');

/** Asks for mailboxes where no Dovecot can be found. */
async function ask(env: Record<string, string>, environment: Record<string, string> = {}) {
  const said: string[] = [];
  const before = { ...process.env };
  delete process.env.DOVECOT_ROOT;
  Object.assign(process.env, { GROUPWARE_IGNORE_INSTALLED: '1', PATH: folder, ...environment });
  try {
    const options = { programsDir: folder, people: [], say: (text: string) => said.push(text) };
    return { said, ...(await demoMail({ dataDir: folder, env }, options)) };
  } finally {
    process.env = before;
  }
}
const demo = { GROUPWARE_DEMO: 'true', MAIL_ACCOUNT_GLOBAL_PASSWORD: 'made' };

describe('mailboxes of the demonstration', () => {
  it.each<[boolean, () => Record<string, string>]>([
    [false, () => ({})],
    [false, () => ({ GROUPWARE_PROPERTIES_FILE: inFolder('without.properties', 'missing') })],
    [true, () => ({ GROUPWARE_PROPERTIES_FILE: inFolder('without.properties', 'with.properties') })],
    [true, () => ({ GROUPWARE_PROPERTIES_FILE: folder })],
    [true, () => ({ GROUPWARE_SECRETS: inFolder('secrets') })],
    [true, () => ({ [VARIABLE]: '' })],
    [true, () => ({ [`${VARIABLE}_FILE`]: '/run/server' })],
    [true, () => ({ [`GROUPWARE_PROPERTY_${KEY}`]: 'imaps://mail.test' })],
  ])('know (%s) whether a mail server is configured, case %#', (isConfigured, environment) => {
    expect(isMailConfigured(environment())).toBe(isConfigured);
  });

  it('are left to the server that is configured, and to whoever gave the password of all mailboxes', async () => {
    const notStarted = ['mail: a server is configured, none is started'];
    expect(await ask(demo, { [VARIABLE]: 'imaps://mail.test' })).toMatchObject({ env: {}, said: notStarted });
    expect(await ask({ GROUPWARE_DEMO: 'true' })).toMatchObject({ env: {}, said: notStarted });
    expect(await ask({ ...demo, GROUPWARE_DEMO: 'false' })).toMatchObject({ env: {}, said: [] });
  });

  it('are off without the programs, which says how to have them', async () => {
    const { env, said } = await ask(demo);
    expect(env).toEqual({});
    expect(said[0]).toMatch(/^mail is off: no Dovecot.*: set DOVECOT_ROOT, or apt-get install dovecot-core/);
    expect(said[1]).toContain(`${VARIABLE}=imaps://`);
  });
});
