import net from 'node:net';
import { until } from '@groupware/test-kit';
import { createFixtures, createContext, createTestUser, type Fixtures, type TestUser } from '../fixtures';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { MAIL_PASSWORD, startOutside, TIMEOUT_MS, type Outside } from './outside';

const MANY = Array.from({ length: 15 }, (_each, index) => `m${index}`);
let outside: Outside;
let world: TestEnvironment;
let cast: Fixtures;
let count = 0;
const someone = (): Promise<TestUser> => createTestUser(world, cast.admin, cast.contextId, `v${(count += 1)}`);
const body = (changes: object = {}) => ({
  name: 'Work',
  login: 'ann',
  password: MAIL_PASSWORD,
  mail_url: `imaps://mail.test:${outside.dovecot.imaps}`,
  primary_address: `ann${(count += 1)}@mail.test`,
  ...changes,
});
const validate = (player: TestUser, changes: object, query: Record<string, string | boolean> = {}) =>
  player.put('account', 'validate', query, body(changes));
const created = async (player: TestUser, changes: object = {}): Promise<any> => {
  const { data, ...rest } = await player.put('account', 'new', {}, body(changes));
  if (typeof data?.id !== 'number') throw new Error(JSON.stringify(rest));
  return data;
};
const listOf = (warnings: unknown): any[] => (Array.isArray(warnings) ? warnings : warnings ? [warnings] : []);
const codes = (answer: { warnings?: unknown }) => listOf(answer.warnings).map(({ code }) => code);

beforeAll(async () => {
  outside = await startOutside(['ann', ...MANY]);
  world = await startTestEnvironment({
    variables: {
      ...outside.variables,
      MAIL_ACCOUNT_GLOBAL_PASSWORD: MAIL_PASSWORD,
      MAIL_ACCOUNT_GLOBAL_PASSWORD_SERVERS: [
        `imaps://mail.test:${outside.dovecot.imaps}`,
        `imaps://mail.test:${outside.expired.imaps}`,
        'imaps://nowhere.test:1993',
      ].join(),
    },
  });
  cast = await createFixtures(world);
}, 120_000);
afterAll(async () => {
  await world?.close();
  await outside?.close();
});

describe('validation', () => {
  it.each([
    ['imaps', () => ({ mail_url: `imaps://mail.test:${outside.dovecot.imaps}` })],
    ['STARTTLS', () => ({ mail_url: `imap://mail.test:${outside.dovecot.imap}`, mail_starttls: true })],
    ['pop3s', () => ({ mail_url: `pop3s://mail.test:${outside.dovecot.pop3s}` })],
    ['POP3 with STLS', () => ({ mail_url: `pop3://mail.test:${outside.dovecot.pop3}`, mail_starttls: true })],
  ])('succeeds over %s', async (_name, changes) => {
    const answer = await validate(await someone(), changes());
    expect(answer).toEqual({ data: true });
  });

  it('answers the folder tree when asked for it', async () => {
    const { data } = await validate(await someone(), {}, { tree: true });
    expect(data).toMatchObject({ title: 'Work', module: 'mail', subfolders: true });
    const inbox = data.subfolder_array.find(({ title }: any) => title === 'INBOX');
    expect(inbox).toMatchObject({ standard_folder: true, standard_folder_type: 7, folder_id: data.id });
    expect(data.subfolder_array.map(({ title }: any) => title)).toEqual(
      expect.arrayContaining(['Sent', 'Drafts', 'Trash']),
    );
  });

  it.each([
    ['a wrong password', 'MSG-0091', () => ({ password: 'no' })],
    ['an expired certificate', 'SSL-0001', () => ({ mail_url: `imaps://mail.test:${outside.expired.imaps}` })],
    ['an unknown host', 'ACC-0020', () => ({ mail_url: 'imaps://nowhere.test:1993' })],
    ['a forbidden address', 'ACC-0020', () => ({ mail_url: 'imaps://169.254.169.254:1993' })],
    ['a forbidden port', 'ACC-0020', () => ({ mail_url: 'imaps://mail.test:22' })],
    ['an OAuth account that is not there', 'OAUTH-0006', () => ({ password: undefined, mail_oauth: 7 })],
  ])('fails with %s, which is a warning', async (_name, code, changes) => {
    const ann = await someone();
    const answer = await validate(ann, changes());
    expect(answer).toMatchObject({ data: false, code, category: 13, warnings: { code } });
    expect((await validate(ann, changes(), { tree: true })).data).toBeNull();
    expect(JSON.stringify(answer)).not.toMatch(/secret|127\.0\.0\.1/);
  });

  it('answers all network causes with the same words', async () => {
    const ann = await someone();
    const hosts = [
      'nowhere.test',
      '169.254.169.254',
      '0x7f.1',
      '[::1]',
      '2130706434',
      'mail.test:22',
      'mail.test:1025',
    ];
    const bodies = new Set<string>();
    for (const host of hosts) {
      const { error_id: _one, warnings, ...answer } = await validate(ann, { mail_url: `imaps://${host}` });
      const params = answer.error_params!;
      const words = JSON.stringify({ ...answer, code: listOf(warnings)[0]?.code, error_params: params.length });
      bodies.add(words.replaceAll(params[0]!, 'HOST'));
    }
    expect([...bodies]).toHaveLength(1);
    expect([...bodies][0]).toContain('ACC-0020');
  });

  it('hints at ports that do not fit', async () => {
    const { variables } = outside;
    expect(variables.MAIL_PORTS).toBe('1024-65535'); // so the standard ports fail without being reached
    const ann = await someone();
    expect(codes(await validate(ann, { mail_url: 'imaps://mail.test:143' }))).toEqual(['ACC-0022', 'ACC-0020']);
    expect(codes(await validate(ann, { mail_url: 'imap://mail.test:993' }))).toEqual(['ACC-0023', 'ACC-0020']);
    expect(codes(await validate(ann, { transport_url: 'smtps://mail.test:25' }))).toEqual(['ACC-0024', 'ACC-0021']);
    const both = { mail_url: 'imaps://mail.test:143', transport_url: 'smtps://mail.test:25' };
    expect(codes(await validate(ann, both))).toEqual(['ACC-0022', 'ACC-0024', 'ACC-0020']);
    expect(codes(await validate(ann, { transport_url: 'smtp://mail.test:465' }))).toEqual(['ACC-0025', 'ACC-0021']);
  });

  it('checks the transport server, too', async () => {
    const ann = await someone();
    const transport_url = `smtp://mail.test:${await outside.smtp()}`;
    expect(await validate(ann, { transport_url })).toEqual({ data: true });
    const custom = { transport_url, transport_auth: 'custom', transport_login: 'ann', transport_password: 'no' };
    expect(await validate(ann, custom)).toMatchObject({ data: false, code: 'MSG-0091' });
    expect(await validate(ann, custom, { ignoreInvalidTransport: true })).toMatchObject({
      data: true,
      code: 'MSG-0091',
    });
    expect(await validate(ann, { ...custom, transport_auth: 'none' })).toEqual({ data: true });
  });

  it('warns of connections in clear text, and refuses them by policy', async () => {
    const port = await outside.peer((socket) => {
      socket.write('* OK [CAPABILITY IMAP4rev1] hello\r\n');
      socket.on('data', (data) => socket.write(`${String(data).split(' ')[0]} OK\r\n`));
    });
    const ann = await someone();
    const mail_url = `imap://mail.test:${port}`;
    expect(await validate(ann, { mail_url })).toMatchObject({ data: true, code: 'MSG-0079' });
    expect(await ann.put('account', 'new', {}, body({ mail_url }))).toMatchObject({
      code: 'MSG-0081',
      data: { mail_port: port },
    });
    const contextId = await createContext(cast.admin, 'strict');
    await cast.admin.expect('PUT', `/admin/v1/contexts/${contextId}/config/com.example.mailaccount.allowPlain`, {
      value: false,
    });
    const strict = await createTestUser(world, cast.admin, contextId, 'strict');
    expect(await validate(strict, { mail_url })).toMatchObject({ data: false, code: 'MSG-0111' });
  });

  it('takes the stored login and password, for the servers they were given for', async () => {
    const ann = await someone();
    const { id } = await created(ann);
    const stored = { id, password: undefined, login: undefined };
    const elsewhere = { mail_url: `imaps://127.0.0.1:${outside.dovecot.imaps}` };
    expect(await validate(ann, stored)).toEqual({ data: true });
    expect(await validate(ann, { ...stored, password: '' })).toEqual({ data: true });
    const transport_url = `smtp://mail.test:${await outside.smtp()}`;
    for (const changes of [
      elsewhere,
      { ...elsewhere, id: 0 },
      { ...elsewhere, id: 0, password: '' },
      { mail_url: `imap://mail.test:${outside.dovecot.imap}` },
      { mail_url: `pop3s://mail.test:${outside.dovecot.imaps}` },
      { mail_port: outside.dovecot.imap, mail_url: undefined },
      { transport_url },
    ])
      expect([changes, await validate(ann, { ...stored, ...changes })]).toMatchObject([
        changes,
        { code: 'SVL-0002', error_params: ['password'] },
      ]);
    expect(await validate(ann, { ...stored, ...elsewhere, password: MAIL_PASSWORD })).toEqual({ data: true });
    expect(await validate(ann, { ...stored, transport_url, transport_auth: 'none' })).toEqual({ data: true });
    const custom = { transport_url, transport_auth: 'custom', transport_login: 'ann' };
    expect(await validate(ann, { ...stored, ...custom })).toMatchObject({ error_params: ['transport_password'] });
    expect(await validate(ann, { ...stored, ...custom, transport_password: MAIL_PASSWORD })).toEqual({ data: true });
    expect((await validate(ann, { id: 4711 })).code).toBe('ACC-0002');
    expect(await validate(ann, { id: -1 })).toEqual({ data: true }); // one that is not stored yet
  });

  it('needs a server, a login and a password', async () => {
    const ann = await someone();
    for (const field of ['mail_url', 'login', 'password'])
      expect(await validate(ann, { [field]: undefined })).toMatchObject({ code: 'SVL-0002', error_params: [field] });
    for (const unified of [{ mail_protocol: 'unifiedinbox' }, { mail_url: 'unifiedinbox://localhost' }])
      expect((await validate(ann, { mail_url: undefined, ...unified })).code).toBe('ACC-0013');
  });
});

describe('new accounts', () => {
  it('MA-06: find the standard folders of their server', async () => {
    const ann = await someone();
    const { id } = await created(ann, { trash: 'trash' });
    const { data } = await ann.get('account', 'get', { id });
    expect(data).toMatchObject({ trash: 'Trash', spam: 'Junk', spam_fullname: `default${id}/Junk` });
    expect(data.trash_fullname).toMatch(/trash$/i);
  });

  it('create the standard folders that their server lacks', async () => {
    const ann = await someone();
    const { id } = await created(ann, { trash: 'Papierkorb', confirmed_spam: 'Sure' });
    const { data } = await ann.get('account', 'get', { id });
    expect(data).toMatchObject({ trash: 'Papierkorb', trash_fullname: `default${id}/Papierkorb`, sent: 'Sent' });
    const tree = (await validate(ann, {}, { tree: true })).data;
    const titles = tree.subfolder_array.map(({ title }: any) => title);
    expect(titles).toContain('Papierkorb');
    expect(titles).not.toContain('Sure');
  });
});

describe('status', () => {
  const status = (player: TestUser, id?: number) => player.get('account', 'status', { id });

  it('MA-15: tells each state by account id', async () => {
    const ann = await someone();
    const good = await created(ann);
    const wrong = await created(ann, { login: 'wrong' });
    const old = await created(ann, { mail_url: `imaps://mail.test:${outside.expired.imaps}` });
    const away = await created(ann, { mail_url: 'imaps://nowhere.test:1993' });
    const oauth = await created(ann, { login: 'oauth', password: undefined, mail_oauth: 3 });
    const out = await created(ann, {
      login: 'm0',
      transport_url: `smtp://mail.test:${await outside.smtp()}`,
      transport_auth: 'custom',
      transport_login: 'ann',
      transport_password: 'no',
    });
    const answer = await status(ann);
    const message = expect.any(String);
    expect(answer.data).toEqual({
      0: { status: 'ok', message },
      [good.id]: { status: 'ok', message },
      [wrong.id]: { status: 'invalid_credentials', message },
      [old.id]: { status: 'invalid_ssl', message },
      [away.id]: { status: 'inaccessible', message },
      [oauth.id]: { status: 'recreation_needed', message },
      [out.id]: { status: 'invalid_credentials', message },
    });
    expect(codes(answer)).toEqual(['ACC-0020']);
    expect((await status(ann, wrong.id)).data).toEqual({ [wrong.id]: { status: 'invalid_credentials', message } });
    expect((await status(ann, 4711)).code).toBe('ACC-0002');
  });

  it('of the primary account is ok without a check, unless it is switched off', async () => {
    const contextId = await createContext(cast.admin, 'master');
    const global = { value: 'global' };
    await cast.admin.expect('PUT', `/admin/v1/contexts/${contextId}/config/com.example.mail.passwordSource`, global);
    const ann = await createTestUser(world, cast.admin, contextId, 'ann');
    const { imaps } = outside.dovecot;
    const user = `/admin/v1/contexts/${contextId}/users/${ann.userId}`;
    const provision = (imap: object, smtp?: object) =>
      cast.admin.expect('PUT', `${user}/mail-account`, {
        imap: { host: 'mail.test', port: imaps, secure: true, login: 'ann', ...imap },
        ...(smtp ? { smtp } : {}),
      });
    const state = async (id?: number) => (await status(ann, id)).data[0].status;
    const own = { id: 0, login: undefined, password: undefined, mail_url: undefined };
    expect(await state()).toBe('ok'); // nothing is provisioned
    await provision({});
    expect([await state(), await state(0)]).toEqual(['ok', 'ok']);
    expect(await validate(ann, own)).toEqual({ data: true });
    // The password of the operator opens the mailboxes of all users.
    for (const changes of [{ login: 'm0' }, { mail_url: `imaps://127.0.0.1:${imaps}` }])
      expect(await validate(ann, { ...own, ...changes })).toMatchObject({
        code: 'SVL-0002',
        error_params: ['password'],
      });
    await provision({ login: 'nobody' });
    expect(await validate(ann, own)).toMatchObject({ data: false, code: 'MSG-0091' });
    await provision({ host: 'nowhere.test', port: 1993 });
    expect(await validate(ann, own)).toMatchObject({ data: false, code: 'ACC-0020' });
    expect(await status(ann, 0)).toEqual({ data: { 0: { status: 'ok', message: expect.any(String) } } });
    // A certificate that the user accepts does not count for a password that is not his.
    await provision({ port: outside.expired.imaps });
    const { error_params: [fingerprint] = [] } = await validate(ann, {
      mail_url: `imaps://mail.test:${outside.expired.imaps}`,
    });
    const decision = { fingerprint: fingerprint!, hostname: 'mail.test', trust: true };
    await ann.put('certificate', 'store', decision, decision);
    expect(await validate(ann, own)).toMatchObject({ data: false, code: 'SSL-0001' });
    await cast.admin.expect('PUT', `${user}/config/com.example.mail.primaryAccountDisabled`, { value: true });
    await until(async () => (await state()) === 'disabled');
  });

  it('never takes the global password to servers that the operator did not name', async () => {
    const contextId = await createContext(cast.admin, 'greedy');
    const of = `/admin/v1/contexts/${contextId}`;
    const set = (path: string, key: string, value: string) =>
      cast.admin.expect('PUT', `${path}/config/com.example.mail.${key}`, { value });
    await set(of, 'passwordSource', 'global');
    const eve = await createTestUser(world, cast.admin, contextId, 'eve');
    let connections = 0;
    const port = await outside.peer((socket) => {
      connections += 1;
      socket.write('* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN] hello\r\n');
    });
    const ask = async () => {
      const own = { id: 0, login: undefined, password: undefined, mail_url: undefined };
      expect((await status(eve, 0)).data).toMatchObject({ 0: { status: 'ok' } });
      expect(await validate(eve, own)).toMatchObject({ code: 'SVL-0002', error_params: ['password'] });
    };
    const account = `${of}/users/${eve.userId}/mail-account`;
    await cast.admin.expect('PUT', account, { imap: { host: 'mail.test', port } });
    await ask();
    // A server of the operator, but another protocol or clear text.
    await cast.admin.expect('PUT', account, { imap: { host: 'mail.test', port: outside.dovecot.imap } });
    await ask();
    await cast.admin.expect('PUT', account, { imap: null });
    await set(`${of}/users/${eve.userId}`, 'mailServer', `imap://mail.test:${port}`);
    await until(async () => (await eve.get('account', 'get', { id: 0 })).data.mail_port === port);
    await ask();
    expect(connections).toBe(0);
  });

  it('does not send a password in clear text that was given over TLS', async () => {
    const ann = await someone();
    let said = '';
    let strips = false;
    let stripped = 0;
    const port = await outside.peer((socket) => {
      if (!strips) {
        const real = net.connect(outside.dovecot.imap, '127.0.0.1');
        real.on('error', () => socket.destroy());
        socket.on('close', () => real.destroy());
        socket.pipe(real).pipe(socket);
        return;
      }
      stripped += 1;
      socket.write('* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN] hello\r\n');
      socket.on('data', (data) => {
        said += String(data);
        const [tag, command] = String(data).split(' ');
        socket.write(`${tag} ${command!.startsWith('STARTTLS') ? 'BAD' : 'OK'}\r\n`);
      });
    });
    // Encryption is not demanded, but taken when it is offered.
    const { id } = await created(ann, { mail_url: `imap://mail.test:${port}` });
    expect((await status(ann, id)).data).toMatchObject({ [id]: { status: 'ok' } });
    strips = true;
    expect((await status(ann, id)).data).toMatchObject({ [id]: { status: 'inaccessible' } });
    const stored = { id, login: undefined, password: undefined, mail_url: undefined };
    expect(await validate(ann, stored)).toMatchObject({ data: false, code: 'MSG-0111' });
    await ann.put('account', 'update', {}, { id, mail_starttls: true });
    await ann.put('account', 'update', {}, { id, mail_starttls: false });
    expect((await status(ann, id)).data).toMatchObject({ [id]: { status: 'inaccessible' } });
    expect(stripped).toBe(3);
    expect(said).not.toMatch(/LOGIN|AUTHENTICATE/);
  });

  it('is explained in the language of the user', async () => {
    const emil = await createTestUser(world, cast.admin, cast.contextId, 'emil', 'UTC', 'de_DE');
    const wrong = await created(emil, { password: 'no' });
    const old = await created(emil, { mail_url: `imaps://mail.test:${outside.expired.imaps}` });
    const away = await created(emil, { mail_url: 'imaps://nowhere.test:1993' });
    const oauth = await created(emil, { login: 'oauth', password: undefined, mail_oauth: 3 });
    const texts = Object.values((await status(emil)).data as Record<string, { message: string }>);
    expect(texts.map(({ message }) => message)).toEqual([
      expect.any(String),
      expect.stringMatching(/^Der Server mail\.test hat die Anmeldung von ann abgelehnt/),
      expect.stringMatching(/^Dem Zertifikat .* wird nicht vertraut/),
      expect.stringMatching(/nowhere\.test .* nicht erreichbar/),
      expect.stringMatching(/richten Sie es neu ein/),
    ]);
    expect([wrong.id, old.id, away.id, oauth.id]).toEqual([1, 2, 3, 4]);
  });

  it('of the unified account is not told', async () => {
    const ann = await someone();
    const { id } = await created(ann, { unified_inbox_enabled: true });
    expect((await status(ann)).data).toMatchObject({ [id]: { status: 'ok' }, [id + 1]: null });
    expect((await status(ann, id + 1)).data).toEqual({ [id + 1]: { status: 'unknown', message: expect.any(String) } });
  });

  it('of twenty accounts, five of them dead, takes one time-out and not five', async () => {
    const ann = await someone();
    const dead = await Promise.all(Array.from({ length: 5 }, () => outside.peer()));
    const add = (login: string, mail_url: string) => created(ann, { login, mail_url });
    // Created while no server listens there, so that creation does not wait for the dead ones.
    const ids = await Promise.all([
      ...MANY.map((login) => add(login, `imaps://mail.test:${outside.dovecot.imaps}`)),
      ...dead.map((_port, index) => add(`dead${index}`, 'imaps://nowhere.test:1993')),
    ]);
    for (const [index, port] of dead.entries())
      await ann.put(
        'account',
        'update',
        {},
        {
          id: ids[15 + index].id,
          mail_url: `imaps://mail.test:${port}`,
          password: MAIL_PASSWORD,
        },
      );
    const start = performance.now();
    const { data } = await status(ann);
    expect(performance.now() - start).toBeLessThan(2 * TIMEOUT_MS);
    const states = Object.values(data as Record<string, { status: string }>).map((entry) => entry.status);
    // The primary account is one of them.
    expect(states.filter((state) => state === 'ok')).toHaveLength(16);
    expect(states.filter((state) => state === 'inaccessible')).toHaveLength(5);
  });
});

describe('certificates that are not trusted', () => {
  const certificate = (player: TestUser, action: string, query: Record<string, string | boolean> = {}) =>
    /^(all|get|examine)$/.test(action)
      ? player.get('certificate', action, query)
      : player.put('certificate', action, query, action === 'store' ? query : undefined);
  const hostname = 'mail.test';
  let out: { tls: number; starttls: number };
  /** Every way to the servers whose certificate has expired; the mail server of the transport ones is in order. */
  const ways = (): [string, object][] => [
    ['imaps', { mail_url: `imaps://mail.test:${outside.expired.imaps}` }],
    ['IMAP with STARTTLS', { mail_url: `imap://mail.test:${outside.expired.imap}`, mail_starttls: true }],
    ['pop3s', { mail_url: `pop3s://mail.test:${outside.expired.pop3s}` }],
    ['POP3 with STLS', { mail_url: `pop3://mail.test:${outside.expired.pop3}`, mail_starttls: true }],
    ['smtps', { transport_url: `smtps://mail.test:${out.tls}` }],
    ['SMTP with STARTTLS', { transport_url: `smtp://mail.test:${out.starttls}`, transport_starttls: true }],
  ];
  beforeAll(async () => {
    const past = outside.expiredCertificate;
    out = { tls: await outside.smtp({ secure: true, ...past }), starttls: await outside.smtp(past) };
  });

  it('XK-02 XK-03 XK-04 are refused over every protocol, named, and taken once the user accepts them', async () => {
    const ann = await someone();
    const found = new Map<string, string>();
    for (const [name, changes] of ways()) {
      const { data, code, error_params: params = [] } = await validate(ann, changes);
      expect([name, data, code, params[1]]).toEqual([name, false, 'SSL-0001', hostname]);
      found.set(params[0]!, name);
    }
    expect([...found.keys()]).toEqual([expect.stringMatching(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/)]);
    const [fingerprint] = [...found.keys()] as [string];
    expect((await certificate(ann, 'all')).data).toEqual([]);
    const shown = { fingerprint, hostname, expired: true, failureReason: 'CERT_HAS_EXPIRED', commonName: 'mail.test' };
    const { data } = await certificate(ann, 'examine', { fingerprint });
    expect(data).toMatchObject({ ...shown, issuedBy: expect.any(String), serialNumber: expect.any(String) });
    expect(data.issuedOn).toBeLessThan(data.expiresOn);
    expect(data.expiresOn).toBeLessThan(Date.now());

    expect(await certificate(ann, 'store', { fingerprint, hostname, trust: true })).not.toHaveProperty('error');
    for (const [name, changes] of ways()) expect([name, await validate(ann, changes)]).toEqual([name, { data: true }]);
    expect((await certificate(ann, 'all')).data).toEqual([{ fingerprint, hostname, trusted: true }]);
    // Another user has not accepted it.
    expect((await validate(await someone(), ways()[0]![1])).code).toBe('SSL-0001');

    await certificate(ann, 'delete', { fingerprint, hostname });
    for (const [name, changes] of ways())
      expect([name, (await validate(ann, changes)).code]).toEqual([name, 'SSL-0001']);
    await certificate(ann, 'store', { fingerprint, hostname, trust: true });
    expect(await validate(ann, ways()[0]![1])).toEqual({ data: true });
    await certificate(ann, 'update', { fingerprint, hostname, trust: false });
    expect((await validate(ann, ways()[0]![1])).code).toBe('SSL-0001');
    const lower = fingerprint.replaceAll(':', '').toLowerCase();
    expect((await certificate(ann, 'get', { fingerprint: lower, hostname })).data).toEqual([
      { fingerprint, hostname, trusted: false },
    ]);
    await certificate(ann, 'delete', { fingerprint, hostname });
    expect(await certificate(ann, 'get', { fingerprint })).toMatchObject({ code: 'SSL-0002', category: 1 });
    await certificate(ann, 'store', { fingerprint, hostname: 'other.test', trust: true });
    expect((await validate(ann, ways()[0]![1])).code).toBe('SSL-0001');
    await certificate(ann, 'deleteAll');
    expect((await certificate(ann, 'examine', { fingerprint })).code).toBe('SSL-0002');
    expect((await certificate(ann, 'update', { fingerprint, hostname, trust: true })).code).toBe('SSL-0002');
  });

  it('XK-01 cannot be accepted, nor asked for, where the operator forbids it', async () => {
    const contextId = await createContext(cast.admin, 'wary');
    const property = `/admin/v1/contexts/${contextId}/config/com.example.mailaccount.acceptCertificates`;
    await cast.admin.expect('PUT', property, { value: false });
    const wary = await createTestUser(world, cast.admin, contextId, 'wary');
    const fingerprint = 'AB'.repeat(32);
    const query = { fingerprint, hostname, trust: true };
    const asked: [string, Record<string, string | boolean>][] = [
      ['all', {}],
      ['get', { fingerprint }],
      ['examine', { fingerprint }],
      ['store', query],
      ['store', { ...query, trust: false }],
      ['update', query],
      ['delete', { fingerprint }],
      ['deleteAll', {}],
    ];
    for (const [action, parameters] of asked)
      expect([action, await certificate(wary, action, parameters)]).toMatchObject([
        action,
        { code: 'SSL-0003', category: 3 },
      ]);
    expect((await validate(wary, ways()[0]![1])).code).toBe('SSL-0001');
    const { id } = await created(wary);
    expect((await wary.get('mail', 'count', { folder: `default${id}/INBOX` })).data).toBe(0);
  });

  it('can be decided about by a body, too', async () => {
    const ann = await someone();
    const given = { fingerprint: 'AB'.repeat(32), hostname: 'body.test', trusted: false };
    expect(await ann.put('certificate', 'store', {}, given)).not.toHaveProperty('error');
    expect((await certificate(ann, 'get', { fingerprint: given.fingerprint })).data).toContainEqual(
      expect.objectContaining({ hostname: 'body.test', trusted: false }),
    );
    // Whatever is no fingerprint would be the same one: none.
    for (const fingerprint of ['x', 'zz--', 'abc', ''])
      expect(await certificate(ann, 'store', { fingerprint, hostname: 'y.test', trust: true })).toHaveProperty('error');
    expect((await certificate(ann, 'get', { fingerprint: 'q' })).code).toBe('SVL-0010');
    expect(await certificate(ann, 'store', { fingerprint: 'AB', trust: true })).toMatchObject({
      code: 'SVL-0002',
      error_params: ['hostname'],
    });
  });
});
