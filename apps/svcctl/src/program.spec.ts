import { installation, operationsOf, provisioning, resellers } from '@groupware/contracts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { verify } from '@node-rs/argon2';
import { run } from './program';

interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

describe('svcctl', () => {
  let server: Server;
  let url: string;
  let folder: string;
  let seen: Seen[];
  let answers: { status: number; body?: unknown }[];

  beforeAll(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'svcctl-'));
    writeFileSync(path.join(folder, 'password'), 'secret\nsecond line\n');
    writeFileSync(path.join(folder, 'new'), 'brand new\n');
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        seen.push({
          method: request.method!,
          url: request.url!,
          headers: request.headers,
          body: Buffer.concat(chunks).toString(),
        });
        const { status, body } = answers.shift() ?? { status: 200, body: {} };
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(body === undefined ? undefined : JSON.stringify(body));
      });
    });
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await new Promise((done) => server.close(done));
  });
  beforeEach(() => {
    seen = [];
    answers = [];
  });

  const svcctl = async (args: string[], input = '') => {
    let out = '';
    let error = '';
    const code = await run(
      ['--url', url, '--login', 'master', '--password-file', path.join(folder, 'password'), ...args],
      {
        input: Readable.from(input === '' ? [] : [input]),
        out: (text) => (out += text),
        error: (text) => (error += text),
        environment: {},
      },
    );
    return { code, out, error };
  };

  it('lists as a table, with the credentials of the file', async () => {
    answers = [{ status: 200, body: { items: [{ id: 7, name: 'acme', enabled: true, loginMappings: ['a', 'b'] }] } }];
    const { code, out } = await svcctl(['context', 'list', '--q', 'ac*']);
    expect(code).toBe(0);
    expect(out).toMatch(/^id +name +enabled/);
    expect(out).toMatch(/^7 +acme +true +a,b$/m);
    expect(seen).toMatchObject([{ method: 'GET', url: '/admin/v1/contexts?q=ac*' }]);
    expect(seen[0]!.headers.authorization).toBe(`Basic ${Buffer.from('master:secret').toString('base64')}`);
  });

  it('follows pages only when asked for all', async () => {
    const pages = [
      { status: 200, body: { items: [{ id: 1 }], next: '1' } },
      { status: 200, body: { items: [{ id: 2 }] } },
    ];
    answers = [...pages];
    const all = await svcctl(['--json', 'user', 'list', '3', '--all']);
    expect(JSON.parse(all.out)).toEqual({ items: [{ id: 1 }, { id: 2 }] });
    expect(seen.map((request) => request.url)).toEqual([
      '/admin/v1/contexts/3/users',
      '/admin/v1/contexts/3/users?after=1',
    ]);
    answers = [...pages];
    const first = await svcctl(['user', 'list', '3']);
    expect(first.error).toContain('--all');
  });

  it('creates from options, --set and a password that is no argument', async () => {
    answers = [{ status: 201, body: { id: 5, name: '007' } }];
    const { code, out } = await svcctl([
      ...['user', 'create', '3', '--name', '007', '--surname', 'Bond', '--email', 'b@x.example', '--enabled', 'false'],
      ...['--aliases', 'b@x.example, c@x.example', '--set', 'phones.mobile="1"', 'quotaMb=5'],
      ...['--new-password-file', path.join(folder, 'new')],
    ]);
    expect(code).toBe(0);
    expect(out).toContain('007');
    expect(JSON.parse(seen[0]!.body)).toEqual({
      name: '007',
      surname: 'Bond',
      primaryEmail: 'b@x.example',
      aliases: ['b@x.example', 'c@x.example'],
      enabled: false,
      phones: { mobile: '1' },
      quotaMb: 5,
      password: 'brand new',
    });
    expect(seen[0]!.headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('creates a context with its administrator; the password comes through a pipe', async () => {
    answers = [{ status: 201, body: { id: 1 } }];
    await svcctl(
      [
        'context',
        'create',
        '--name',
        'acme',
        '--mapping',
        'a,b',
        '--admin-name',
        'boss',
        '--admin-surname',
        'B',
        '--admin-email',
        'b@x.example',
      ],
      'piped\n',
    );
    expect(JSON.parse(seen[0]!.body)).toEqual({
      name: 'acme',
      loginMappings: ['a', 'b'],
      admin: { name: 'boss', surname: 'B', email: 'b@x.example', password: 'piped' },
    });
  });

  it.each([
    [
      ['user', 'change', '3', '5', '--set', 'title=null', '--if-version', '4'],
      'PATCH',
      '/admin/v1/contexts/3/users/5',
      { title: null },
    ],
    [['group', 'change', '3', '9', '--members', '4,5'], 'PATCH', '/admin/v1/contexts/3/groups/9', { members: [4, 5] }],
    [
      ['context', 'disable', '3', '--reason', 'unpaid'],
      'PUT',
      '/admin/v1/contexts/3/state',
      { enabled: false, reason: 'unpaid' },
    ],
    [
      ['context', 'access', '3', '--combination', 'all', '--apply-to-users'],
      'PUT',
      '/admin/v1/contexts/3/module-access?applyToUsers=true',
      { combination: 'all' },
    ],
    [
      ['user', 'access', '3', '5', '--set', 'calendar=false'],
      'PUT',
      '/admin/v1/contexts/3/users/5/module-access',
      { flags: { calendar: false } },
    ],
    [
      ['user', 'config', '3', '5', 'com.example.x', '7'],
      'PUT',
      '/admin/v1/contexts/3/users/5/config/com.example.x',
      { value: '7' },
    ],
  ])('%j sends what it says', async (args, method, path_, body) => {
    const { code } = await svcctl(args);
    expect(code).toBe(0);
    expect(seen).toMatchObject([{ method, url: path_ }]);
    expect(JSON.parse(seen[0]!.body)).toEqual(body);
    if (args.includes('--if-version')) expect(seen[0]!.headers['if-match']).toBe('"4"');
  });

  it.each([
    [
      ['user', 'delete', '3', '5', '--reassign-to', 'none', '--missing-ok'],
      'DELETE',
      '/admin/v1/contexts/3/users/5?missing_ok=true&reassignTo=none',
    ],
    [['group', 'add-member', '3', '9', '5'], 'PUT', '/admin/v1/contexts/3/groups/9/members/5'],
    [['group', 'remove-member', '3', '9', '5'], 'DELETE', '/admin/v1/contexts/3/groups/9/members/5'],
    [['context', 'config', '3', 'com.example.x'], 'GET', '/admin/v1/contexts/3/config/com.example.x'],
    [['context', 'config', '3', 'com.example.x', '-'], 'DELETE', '/admin/v1/contexts/3/config/com.example.x'],
    [['resource', 'show', '3', '8'], 'GET', '/admin/v1/contexts/3/resources/8'],
    [['job', 'show', '3', 'abc'], 'GET', '/admin/v1/contexts/3/jobs/abc'],
    [['mail-account', 'reseal'], 'POST', '/admin/v1/mail-accounts/reseal'],
  ])('%j needs no body', async (args, method, path_) => {
    expect((await svcctl(args)).code).toBe(0);
    expect(seen).toMatchObject([{ method, url: path_, body: '' }]);
  });

  it('seals all secrets again, and fails when no key opens some', async () => {
    const modules = ['identity', 'calendar', 'files', 'push', 'sso'];
    const paths = ['/admin/v1/mail-accounts/reseal', ...modules.map((module) => `/admin/v1/secrets/${module}/reseal`)];
    const result = { checked: 2, resealed: 2, unreadable: 0 };
    answers = paths.map(() => ({ status: 200, body: result }));
    expect((await svcctl(['secrets', 'reseal'])).code).toBe(0);
    expect(seen).toMatchObject(paths.map((url) => ({ method: 'POST', url, body: '' })));
    answers = paths.map((_path, index) => ({ status: 200, body: { ...result, unreadable: index === 1 ? 1 : 0 } }));
    const { code, out } = await svcctl(['--json', 'secrets', 'reseal']);
    expect(code).toBe(1);
    expect(JSON.parse(out)[1]).toEqual({ sealed: 'secrets/identity', ...result, unreadable: 1 });
  });

  it('sets a password without showing it', async () => {
    answers = [{ status: 204 }];
    const { code, out, error } = await svcctl([
      'user',
      'passwd',
      '3',
      '5',
      '--new-password-file',
      path.join(folder, 'new'),
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(seen[0]!.body)).toEqual({ password: 'brand new', keepSessions: false });
    expect(out + error).not.toContain('brand new');
  });

  it('imports a file and fails when rows failed', async () => {
    const file = path.join(folder, 'people.csv');
    writeFileSync(file, 'name\nx\n');
    const job = { id: 'j', kind: 'import-users', state: 'running', errors: [] };
    answers = [
      { status: 202, body: job },
      { status: 200, body: { ...job, state: 'done', result: { rows: 1, errors: [] } } },
    ];
    expect((await svcctl(['import', 'users', '3', file, '--dry-run', '--map', 'Kind=title', 'Note='])).code).toBe(0);
    expect(seen[0]).toMatchObject({
      method: 'POST',
      url: '/admin/v1/contexts/3/import?kind=users&format=csv&map=Kind%3Dtitle%2CNote%3D&dryRun=true',
      body: 'name\nx\n',
    });
    expect(seen[0]!.headers['content-type']).toBe('text/csv');
    answers = [{ status: 202, body: { ...job, state: 'done', result: { rows: 1, errors: [{ row: 2 }] } } }];
    expect((await svcctl(['import', 'users', '3', file])).code).toBe(1);
  });

  it('exits with 1 and the reason when the server refuses', async () => {
    const body = {
      code: 'PROV-0001',
      error: 'translated',
      error_desc: 'The name is taken',
      error_id: 'e-1',
      problematic: [{ name: 'name', reason: 'taken' }],
    };
    answers = [{ status: 409, body }];
    const refused = await svcctl(['group', 'create', '3', '--name', 'x']);
    expect(refused.code).toBe(1);
    expect(refused.error).toContain('PROV-0001: The name is taken');
    expect(refused.error).toContain('name: taken');
    answers = [{ status: 409, body }];
    expect(JSON.parse((await svcctl(['--json', 'group', 'create', '3', '--name', 'x'])).out)).toEqual(body);
  });

  it.each([
    [[]],
    [['nonsense']],
    [['user', 'list']],
    [['user', 'list', 'abc']],
    [['context', 'create', '--set', 'novalue']],
    [['import', 'cars', '3', 'x.csv']],
    [['import', 'users', '3', '/does/not/exist.csv']],
    [['group', 'create', '3', '--data', '/does/not/exist.json']],
  ])('exits with 2 for the usage %j', async (args) => {
    expect((await svcctl(args)).code).toBe(2);
    expect(seen).toEqual([]);
  });

  it('exits with 3 when the server is away or not ready', async () => {
    expect((await svcctl(['--url', 'http://127.0.0.1:1', 'context', 'list'])).code).toBe(3);
    answers = [{ status: 503, body: { code: 'SVL-0032' } }];
    expect((await svcctl(['context', 'list'])).code).toBe(3);
    answers = [{ status: 503 }];
    expect((await svcctl(['init', '--wait', '0'])).code).toBe(3);
    answers = [{ status: 503 }, { status: 200 }];
    expect((await svcctl(['init', '--wait', '5'])).out).toBe('ready\n');
  });

  it('shows help with 0, and health', async () => {
    const help = await svcctl(['--help']);
    expect(help.code).toBe(0);
    expect(help.out).toContain('context');
    answers = [{ status: 500, body: { status: 'DOWN' } }];
    expect(await svcctl(['health'])).toMatchObject({ code: 1, out: '{"status":"DOWN"}\n' });
  });

  it('manages loggers of processes, contexts, users and sessions', async () => {
    for (const [args, call, body] of [
      ['list', 'GET /admin/v1/logconf/loggers', ''],
      ['list --context 7', 'GET /admin/v1/logconf/contexts/7/loggers', ''],
      ['set calendar.conflicts debug', 'PUT /admin/v1/logconf/loggers/calendar.conflicts', '"DEBUG"'],
      ['set push trace --context 7 --user 3', 'PUT /admin/v1/logconf/contexts/7/users/3/loggers/push', '"TRACE"'],
      ['unset push --session abc', 'DELETE /admin/v1/logconf/sessions/abc/loggers/push', ''],
    ] as const) {
      seen.length = 0;
      answers = [{ status: 200, body: [{ name: 'push', level: 'INFO' }] }];
      expect(await svcctl(['logconf', ...args.split(' ')])).toMatchObject({ code: 0, error: '' });
      expect(seen.map(({ method, url: at, body: sent }) => [`${method} ${at}`, sent])).toEqual([[call, body]]);
    }
    for (const wrong of ['unset push', 'set push loud', 'list --user 3', 'list --session a --context 1'])
      expect({ wrong, code: (await svcctl(['logconf', ...wrong.split(' ')])).code }).toEqual({ wrong, code: 2 });
  });

  it('exports, sends and deletes feedback', async () => {
    answers = [{ status: 200, body: 'date;score' }];
    const exported = await svcctl(['feedback', 'export', 'star-rating-v1', '--start', '5', '--delimiter', ';']);
    expect(exported).toMatchObject({ code: 0, out: '"date;score"' });
    answers = [{ status: 200, body: { normal: ['a@b.example', 'c@d.example'] } }];
    const to = ['--to', 'a@b.example', 'c@d.example', '--subject', 'Report', '--compress'];
    expect((await svcctl(['feedback', 'send', 'nps-v1', ...to])).code).toBe(0);
    answers = [{ status: 200, body: { successful: 'true' } }];
    expect((await svcctl(['feedback', 'delete', 'nps-v1', '--context-group', 'g/h', '--end', '9'])).code).toBe(0);
    expect(seen.map(({ method, url: at }) => `${method} ${at}`)).toEqual([
      'GET /userfeedback/v1/export/default/star-rating-v1?start=5&delimiter=%3B',
      'POST /userfeedback/v1/send/default/nps-v1',
      'DELETE /userfeedback/v1/g%2Fh/nps-v1?end=9',
    ]);
    expect(JSON.parse(seen[1]!.body)).toEqual({
      subject: 'Report',
      compress: true,
      recipients: [{ address: 'a@b.example' }, { address: 'c@d.example' }],
    });
    expect((await svcctl(['feedback', 'send', 'nps-v1'])).code).toBe(2);
    expect((await svcctl(['feedback', 'export', 'nps-v1', '--start', 'x'])).code).toBe(2);
  });

  it('makes the context to try things in', async () => {
    answers = Array.from({ length: 16 }, (_each, index) => ({
      status: 201,
      body: { id: index === 0 ? 1 : index + 2 },
    }));
    const { code, out } = await svcctl(['--json', 'demo']);
    expect(code).toBe(0);
    const { contextId, logins, password } = JSON.parse(out) as {
      contextId: number;
      logins: string[];
      password: string;
    };
    expect([contextId, logins.length, logins.slice(0, 2)]).toEqual([1, 11, ['admin@demo', 'anna@demo']]);
    const made = seen.map(({ url: at }) => at.replace(/.*\//, ''));
    expect(made).toEqual([
      'contexts',
      ...Array.from({ length: 10 }, () => 'users'),
      ...['groups', 'groups', 'resources', 'resources', 'resources'],
    ]);
    for (const { body } of seen.slice(0, 11)) expect(body).toContain(password);
    expect(JSON.parse(seen[11]!.body)).toMatchObject({ members: [3, 4, 5, 6, 7] });
  });

  it('prints hashes that verify', async () => {
    const { out } = await svcctl(['hash-password', '--new-password-file', '-'], 'piped\n');
    expect(await verify(out.trim().replace('{ARGON2}', ''), 'piped')).toBe(true);
  });

  it('has a command for every operation of provisioning, and help for every command', async () => {
    const commands = [
      'context list|context show 1|context create --name a --set admin.name=a --new-password-file F|context change 1 --name a',
      'context delete 1|context enable 1|context access 1|context access 1 --combination all|context config 1 x|context config 1 x 1',
      'context config 1 x -|context exists 1|context count --schema a|context quota 1|context set-quota 1 --filestore-mb 5 --tasks 3',
      'context move 1 --schema b|context pre-assemble --schema a --number 2',
      'user list 1|user show 1 2|user create 1 --name a --new-password-file F|user change 1 2 --name a|user delete 1 2',
      'user passwd 1 2 --new-password-file F|user access 1 2|user access 1 2 --combination all|user config 1 2 x|user config 1 2 x 1',
      'user config 1 2 x -|user count 1|user exists 1 2|user mfa-list 1 2|user mfa-reset 1 2|user history 1 2 --sort -date',
      'user mail-account 1 2 --imap-host imap.test --imap-secure --smtp-port 587|user close-sessions 1 2|user login-information 1 2|user login-information-reset 1 2',
      'group list 1|group show 1 2|group create 1 --name a|group change 1 2 --name b|group delete 1 2|group add-member 1 2 3',
      'group remove-member 1 2 3|group exists 1 2|resource list 1|resource show 1 2|resource create 1 --name a',
      'resource change 1 2 --name b|resource delete 1 2|resource exists 1 2|import users 1 F|import groups 1 F --format ldif',
      'job show 1 x|job list --state done|job list-of 1|job cancel 1 x|job passwords 1 x|job find x|job stop x',
      'filestore list|filestore show 2|filestore create --uri file:///x|filestore change 2 --size-mb 5|filestore delete 2|filestore exists 2',
      'schema list|schema show b|schema create --schema b --dsn-ref b|schema change b --state closed|schema delete b',
      'access-combination list|access-combination show x|access-combination set x --flags tasks,calendar|access-combination delete x',
      'reseller list|reseller show x|reseller set x --set displayName=X|reseller delete x',
    ].flatMap((line) => line.split('|'));
    const called = new Set<string>();
    for (const command of commands) {
      answers = [{ status: 200, body: { id: 1, state: 'done', items: [] } }];
      seen.length = 0;
      const args = command.split(' ').map((part) => (part === 'F' ? path.join(folder, 'new') : part));
      const { code, error } = await svcctl(args);
      expect({ command, code, error }).toEqual({ command, code: 0, error: '' });
      const at = new URL(`http://x${seen[0]!.url}`).pathname;
      called.add(`${seen[0]!.method} ${at}`);
    }
    const wanted = [provisioning, installation, resellers].flatMap((contract) => operationsOf(contract));
    const missing = wanted.filter(({ http, path: pattern }) => {
      const shape = new RegExp(`^${http} ${pattern!.replace(/\{[^}]+\}/g, '[^/]+')}$`);
      return ![...called].some((call) => shape.test(call));
    });
    expect(missing.map(({ name }) => name)).toEqual([]);
    for (const thing of [
      'context',
      'user',
      'group',
      'resource',
      'job',
      'filestore',
      'schema',
      'access-combination',
      'reseller',
    ]) {
      const help = await svcctl([thing, '--help']);
      expect(help.code).toBe(0);
      expect(help.out).toContain('Usage: svcctl');
    }
    for (const wrong of [
      'context exists x',
      'context move',
      'schema change b --max-contexts',
      'context set-quota 1',
      'job nothing',
    ])
      expect([wrong, (await svcctl(wrong.split(' '))).code]).toEqual([wrong, 2]);
    expect((await svcctl(['context', 'set-quota', '1', '--filestore-mb', 'much'])).code).toBe(2);
    answers = [{ status: 404, body: { code: 'CTX-0002', error: 'none' } }];
    expect((await svcctl(['context', 'exists', '9'])).code).toBe(1);
  });
});
