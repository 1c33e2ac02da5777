import { BreakableLink, findFreePort, startDovecot, type Dovecot, type DovecotOptions } from '@groupware/test-kit';
import { Client } from '../client';
import { PASSWORD } from '../fixtures';
import { MAIL_PASSWORD } from '../mail-account/outside';
import { putScript, manage } from './manage-sieve';
import { MASTER, startFilterWorld, type DeliveredMail, type FilterWorld } from './filter-world';

let at: FilterWorld;
beforeAll(async () => {
  at = await startFilterWorld();
}, 120_000);
afterAll(() => at?.close());

const V1 = 'mailfilter';
const V2 = 'mailfilter/v2';
const BOTH = [[V1], [V2]] as const;
const keep = [{ id: 'keep' }];
const always = { id: 'true' };
const onSubject = (value: string) => ({ id: 'header', comparison: 'contains', headers: ['X-Tag'], values: [value] });
const move = (folder: string, more: object = {}) => ({ id: 'move', into: `default0/${folder}`, copy: false, ...more });

const call = (module: string, action: string, body?: unknown, parameters: Record<string, string> = {}) =>
  body === undefined && !['getscript', 'deletescript'].includes(action)
    ? at.cast.U1.call('GET', module, action, parameters)
    : at.cast.U1.call('PUT', module, action, parameters, body);
const good = async (module: string, action: string, body?: unknown, parameters?: Record<string, string>) => {
  const answer = await call(module, action, body, parameters);
  expect(answer).not.toHaveProperty('error');
  return answer.data;
};
const codeOf = async (module: string, action: string, body?: unknown, parameters?: Record<string, string>) =>
  (await call(module, action, body, parameters)).code;
const add = (rule: object, module: string = V2) => good(module, 'new', { test: always, actioncmds: keep, ...rule });
const refused = (rule: object, module: string = V2) =>
  codeOf(module, 'new', { test: always, actioncmds: keep, ...rule });
const list = (module: string = V2, parameters: Record<string, string> = {}) =>
  good(module, 'list', undefined, parameters);
const names = async (module?: string) => (await list(module)).map(({ rulename }: { rulename: string }) => rulename);
const script = () => good(V1, 'getscript');
const empty = () => good(V1, 'deletescript');
beforeEach(() => (at ? empty() : undefined));

describe('the configuration', () => {
  it('FC-01 FC-05 tells tests, comparisons and actions that the server offers', async () => {
    const config = await good(V1, 'config');
    const comparisonOf = (id: string) => config.tests.find(({ test }: { test: string }) => test === id)?.comparison;
    expect(comparisonOf('size')).toEqual(['over', 'under']);
    expect(comparisonOf('address')).toEqual(['user', 'detail', 'all', 'localpart', 'domain']);
    expect(comparisonOf('header')).toEqual(['is', 'contains', 'matches', 'regex']);
    expect(comparisonOf('exists')).toEqual([]);
    expect(comparisonOf('currentdate')).toEqual(['ge', 'le', 'is', 'contains', 'matches']);
    expect(config.actioncommands).toEqual(
      expect.arrayContaining(['keep', 'redirect', 'move', 'vacation', 'addflags', 'notify', 'reject']),
    );
    expect(config.actioncommands).not.toContain('pgp');
    expect(config.capabilities).toContain('vacation');
    const { tests, actioncmds, options } = await good(V2, 'config');
    expect(options).toEqual({ allowNestedTests: true, MAXREDIRECTS: 4 });
    expect(actioncmds).toContainEqual({ id: 'discard' });
    expect(tests).toContainEqual({ id: 'exists', comparisons: ['exists', 'not exists'] });
    expect(tests).toContainEqual(
      expect.objectContaining({ id: 'subject', comparisons: expect.arrayContaining(['not contains', 'startswith']) }),
    );
  });
});

describe.each(BOTH)('rules of %s', (module) => {
  it('are made once for an idempotency key', async () => {
    const make = (key: string) =>
      call(module, 'new', { rulename: 'once', test: always, actioncmds: keep }, { idempotency_key: key });
    const answer = await make(`key-of-${module}`);
    expect(answer).toMatchObject({ data: 0 });
    expect((await make(`key-of-${module}`)).data).toBe(0);
    expect(await names(module)).toEqual(['once']);
    expect((await make(`another-key-of-${module}`)).data).toBe(1);
  });

  it('FR-01 FR-04 FR-21 FR-22 get ids and positions', async () => {
    expect(await add({ rulename: 'one' }, module)).toBe(0);
    expect(await add({ rulename: 'two', position: -1 }, module)).toBe(1);
    expect(await add({ rulename: 'three', position: '0', id: 77 }, module)).toBe(2);
    expect(await add({ rulename: 'four', position: 3 }, module)).toBe(3);
    expect(await list(module)).toEqual(
      [
        [2, 'three'],
        [0, 'one'],
        [1, 'two'],
        [3, 'four'],
      ].map(([id, rulename], position) => ({
        id,
        position,
        rulename,
        active: true,
        flags: [],
        test: always,
        actioncmds: keep,
      })),
    );
    expect(await refused({ position: 7 }, module)).toBe('MAIL_FILTER-0007');
    expect(await refused({ position: 5 }, module)).toBe('MAIL_FILTER-0007');
    // Of a rule that is there the number of rules is the end, too.
    await good(module, 'update', { id: 2, position: 4 });
    expect(await names(module)).toEqual(['one', 'two', 'four', 'three']);
    expect(await codeOf(module, 'update', { id: 2, position: 5 })).toBe('MAIL_FILTER-0007');
    expect(await refused({ position: 'x' }, module)).toBe('MAIL_FILTER-0017');
  });

  it('FR-08 FR-20 are changed field by field', async () => {
    await add({ rulename: 'a', active: false, flags: ['x1'] }, module);
    await good(module, 'update', { id: 0, rulename: 'b' });
    expect(await list(module)).toMatchObject([{ id: 0, rulename: 'b', active: false, flags: ['x1'], test: always }]);
    await good(module, 'update', { id: 0, actioncmds: [{ id: 'discard' }], active: true });
    expect(await list(module)).toMatchObject([
      { rulename: 'b', active: true, actioncmds: [{ id: 'discard' }], test: always },
    ]);
    expect(await codeOf(module, 'update', { rulename: 'x' })).toBe('MAIL_FILTER-0001');
    expect(await codeOf(module, 'update', { id: 'x' })).toBe('MAIL_FILTER-0009');
    expect(await codeOf(module, 'update', { id: 99 })).toBe('MAIL_FILTER-0008');
    expect(await codeOf(module, 'update', [])).toBe('MAIL_FILTER-0003');
  });

  it('FR-12 FR-25 are deleted one by one and all at once', async () => {
    await add({ rulename: 'a' }, module);
    expect(await codeOf(module, 'delete', {})).toBe('MAIL_FILTER-0001');
    expect(await codeOf(module, 'delete', { id: 'x' })).toBe('MAIL_FILTER-0009');
    expect(await codeOf(module, 'delete', { id: 5 })).toBe('MAIL_FILTER-0007');
    await good(module, 'delete', { id: 0 });
    expect(await list(module)).toEqual([]);
    await add({}, module);
    await good(module, 'deletescript');
    expect(await list(module)).toEqual([]);
    expect(await good(module, 'getscript')).toMatch(/^# Generated by Groupware on [^\n]*\r\n$/);
    expect(await add({}, module)).toBe(0);
  });

  it('FR-16 FR-27 FR-28 are ordered, those of categories first', async () => {
    for (const rulename of ['a', 'b', 'c']) await add({ rulename }, module);
    await add({ rulename: 'k', flags: ['category'] }, module);
    await good(module, 'reorder', [2, 2, 99, 1]);
    expect(await names(module)).toEqual(['c', 'b', 'a']);
    expect(await list(module, { flag: 'category' })).toMatchObject([{ rulename: 'k', position: 0 }]);
    await good(module, 'reorder', []);
    expect(await names(module)).toEqual(['c', 'b', 'a']);
    expect(await codeOf(module, 'reorder', [0, 1, 2, 3, 4])).toBe('MAIL_FILTER-0028');
    expect(await codeOf(module, 'reorder', { ids: [] })).toBe('MAIL_FILTER-0003');
    expect(await codeOf(module, 'list', undefined, { flag: 'nonsense' })).toBe('MAIL_FILTER-0026');
    expect(await list(module, { flag: 'custom' })).toHaveLength(3);
  });

  it('FR-26 move below ones that are not active', async () => {
    await add({ rulename: 'a' }, module);
    await add({ rulename: 'off', active: false }, module);
    await add({ rulename: 'c' }, module);
    await good(module, 'update', { id: 0, position: 1 });
    expect(await names(module)).toEqual(['off', 'a', 'c']);
  });

  it('FR-24 hold one vacation notice', async () => {
    const notice = { flags: ['vacation'], actioncmds: [{ id: 'vacation', text: 'Away' }] };
    await add({ ...notice, active: false }, module);
    expect(await refused(notice, module)).toBe('MAIL_FILTER-0021');
    await good(module, 'update', { id: 0, actioncmds: keep });
    expect(await add(notice, module)).toBe(1);
    expect(await list(module, { flag: 'vacation' })).toHaveLength(2);
  });

  it('of others are never shown', async () => {
    expect(await codeOf(module, 'list', undefined, { username: 'somebody' })).toBe('MAIL_FILTER-0027');
    expect(await list(module, { username: at.cast.U1.email })).toEqual([]);
  });
});

describe('tests', () => {
  const SAME: readonly (readonly [string, string, object])[] = [
    ['FT-01', V1, { id: 'header', comparison: 'is', headers: ['X-A', 'Subject'], values: ['a "b" \\ c', ''] }],
    ['FT-01 v2', V2, { id: 'header', comparison: 'is', headers: ['X-A'], values: ['ä'] }],
    ['FT-03', V1, { id: 'header', comparison: 'regex', headers: ['X-A'], values: ['^a.*z$'] }],
    ['FT-04', V1, { id: 'address', comparison: 'domain', headers: ['From'], values: ['a.example'] }],
    ['FT-04 user', V1, { id: 'address', comparison: 'user', headers: ['From'], values: ['a'] }],
    [
      'FT-04 v2',
      V2,
      { id: 'address', comparison: 'is', addresspart: 'domain', headers: ['Sender'], values: ['a.example'] },
    ],
    ['FT-05', V1, { id: 'envelope', comparison: 'is', headers: ['to'], values: ['a@b.example'] }],
    ['FT-06', V1, { id: 'exists', headers: ['X-A', 'X-B'] }],
    ['FT-06 v2', V2, { id: 'exists', comparison: 'exists', headers: ['X-A'] }],
    ['FT-06 not', V2, { id: 'exists', comparison: 'not exists', headers: ['X-Spam'] }],
    ['FT-07', V1, { id: 'body', extensionskey: 'text', extensionsvalue: null, comparison: 'contains', values: ['x'] }],
    [
      'FT-08',
      V1,
      {
        id: 'body',
        extensionskey: 'content',
        extensionsvalue: 'application/pdf',
        comparison: 'contains',
        values: ['x'],
      },
    ],
    ['FT-09', V1, { id: 'body', extensionskey: null, extensionsvalue: null, comparison: 'is', values: ['x'] }],
    ['FT-12', V1, { id: 'currentdate', comparison: 'ge', datepart: 'date', datevalue: [1798761600000], zone: '+0200' }],
    [
      'FT-13',
      V1,
      { id: 'date', comparison: 'le', header: 'Date', datepart: 'time', datevalue: [36000000], zone: 'original' },
    ],
    ['FT-14', V1, { id: 'currentdate', comparison: 'is', datepart: 'weekday', datevalue: ['0', '3'] }],
    ['FT-16', V2, { id: 'subject', comparison: 'startswith', values: ['a*b?c\\'] }],
    ['FT-16 not', V2, { id: 'from', comparison: 'not endswith', values: ['b'] }],
    ['FT-16 to', V2, { id: 'to', comparison: 'is', values: ['a'], addresspart: 'localpart' }],
    ['FT-16 cc', V2, { id: 'cc', comparison: 'contains', values: ['a'] }],
    ['FT-16 any', V2, { id: 'anyRecipient', comparison: 'not contains', values: ['a'] }],
    ['FT-16 list', V2, { id: 'mailingList', comparison: 'matches', values: ['*a*b'] }],
    ['FT-16 attachment', V2, { id: 'attachment', comparison: 'not exists' }],
    ['FT-16 file', V2, { id: 'fileName', comparison: 'endswith', values: ['.pdf'] }],
    ['FT-17', V1, { id: 'size', comparison: 'over', size: 10 }],
    ['FT-18', V2, { id: 'size', comparison: 'not under', size: 2147483648 }],
    ['FT-18 zero', V1, { id: 'size', comparison: 'under', size: 0 }],
    ['FT-21', V1, { id: 'not', test: { id: 'not', test: { id: 'false' } } }],
    ['FT-22', V1, { id: 'allof', tests: [{ id: 'anyof', tests: [{ id: 'true' }, { id: 'exists', headers: ['X'] }] }] }],
    ['FT-24', V1, { id: 'currentdate', comparison: 'le', datepart: 'date', datevalue: [1792972800000], zone: '+0200' }],
    ['FT-26', V1, { id: 'header', comparison: 'matches', headers: ['X-A'], values: ['a\\*b', '?\\\\*'] }],
    ['FT-23', V1, { id: 'currentdate', comparison: 'ge', datepart: 'date', datevalue: [1798761600000] }],
    ['hasflag', V1, { id: 'hasflag', comparison: 'contains', values: ['x'] }],
  ];

  it('are given back as they were sent, by the server and after a second change', async () => {
    for (const [rulename, module, test] of SAME) await add({ rulename, test }, module);
    const check = async (module: string) => {
      const found = await list(module);
      for (const [position, [rulename, itsModule, test]] of SAME.entries())
        if (itsModule === module) expect(found[position]).toMatchObject({ rulename, test });
    };
    await check(V1);
    await check(V2);
    for (const [id, [, module, test]] of SAME.entries()) {
      if (id % 5 === 0) await good(module, 'update', { id, test });
    }
    await check(V1);
    await check(V2);
    expect(await script()).toContain('"envelope"');
    expect(await script()).toContain('not exists [ "X-Spam" ]');
    const withoutZone = (await list(V1)).find(({ rulename }: { rulename: string }) => rulename === 'FT-23');
    expect(withoutZone.test).not.toHaveProperty('zone');
  });

  it('FR-29 of the second generation are read by the first', async () => {
    await add({ test: { id: 'anyrecipient', values: ['x'] } });
    expect(await list(V1)).toMatchObject([
      { test: { id: 'address', comparison: 'contains', headers: ['To', 'Cc'], values: ['x'] } },
    ]);
  });

  it('of any headers have two more names in the second generation', async () => {
    await add({ test: { id: 'cleanHeader', headers: ['X-A'], values: ['x'] } });
    await add({ test: { id: 'headers', comparison: 'not is', headers: ['X-B'], values: ['y'] } });
    expect(await list()).toMatchObject([
      { test: { id: 'header', comparison: 'contains', headers: ['X-A'], values: ['x'] } },
      { test: { id: 'header', comparison: 'not is', headers: ['X-B'], values: ['y'] } },
    ]);
    expect(await refused({ test: { id: 'headers', headers: ['X-A'], values: ['x'] } }, V1)).toBe('MAIL_FILTER-0025');
  });

  it('of variables are changed like others, and no other rule has what looks like one', async () => {
    const variables = { actioncmds: [{ id: 'set', name: 'tag', value: 'a${x}' }] };
    await add(variables);
    const test = { id: 'string', comparison: 'is', source: ['${tag}'], values: ['a'] };
    await add({ test });
    await good(V2, 'update', { id: 1, test: { ...test, values: ['b'] }, actioncmds: keep });
    expect(await list()).toMatchObject([variables, { test: { ...test, values: ['b'] } }]);
    expect(await refused({ test: onSubject('${tag}') })).toBe('MAIL_FILTER-0025');
    await empty();
    await add({ test: onSubject('${tag}') });
    expect(await refused(variables)).toBe('MAIL_FILTER-0025');
    expect(await refused({ actioncmds: [{ id: 'set', name: 'no-name', value: 'x' }] })).toBe('MAIL_FILTER-0025');
  });

  it.each([
    ['FT-19 a header that is none', { test: { ...onSubject('x'), headers: ['X-Ä'] } }, 'MAIL_FILTER-0025'],
    ['FT-20 a zero byte', { test: onSubject('a\0b') }, 'MAIL_FILTER-0025'],
    ['FT-20 half a character', { test: onSubject('a\ud800b') }, 'MAIL_FILTER-0025'],
    ['a line break', { test: onSubject('a\r\nb') }, 'MAIL_FILTER-0025'],
    ['FT-22 no tests', { test: { id: 'allof', tests: [] } }, 'MAIL_FILTER-0025'],
    ['no values', { test: { ...onSubject('x'), values: [] } }, 'MAIL_FILTER-0025'],
    ['no test', { test: null }, 'MAIL_FILTER-0001'],
    ['an unknown presence', { test: { id: 'exists', comparison: 'bogus', headers: ['X-A'] } }, 'MAIL_FILTER-0025'],
    ['a comparison of nothing', { test: { id: 'true', comparison: 'not is' } }, 'MAIL_FILTER-0025'],
    ['an unknown test', { test: { id: '__proto__' } }, 'MAIL_FILTER-0025'],
    [
      'FT-25 addresses of a subject',
      { test: { id: 'address', comparison: 'is', headers: ['Subject'], values: ['x'] } },
      'MAIL_FILTER-0025',
    ],
    [
      'a date that is none',
      { test: { id: 'currentdate', comparison: 'ge', datepart: 'date', datevalue: ['soon'] } },
      'MAIL_FILTER-0017',
    ],
    ['FA-09 no days', { actioncmds: [{ id: 'vacation', days: 0, text: 'x' }] }, 'MAIL_FILTER-0025'],
    ['FA-09 days in words', { actioncmds: [{ id: 'vacation', days: 'seven', text: 'x' }] }, 'MAIL_FILTER-0017'],
    ['an empty notice', { actioncmds: [{ id: 'vacation', text: ' ' }] }, 'MAIL_FILTER-0018'],
    ['no text of a notice', { actioncmds: [{ id: 'vacation' }] }, 'MAIL_FILTER-0001'],
    ['FR-18 redirect to nobody', { actioncmds: [{ id: 'redirect', to: 'a b' }] }, 'MAIL_FILTER-0023'],
    [
      'FR-18 too many redirects',
      { actioncmds: [1, 2, 3, 4, 5].map((each) => ({ id: 'redirect', to: `a${each}@b.example` })) },
      'MAIL_FILTER-0029',
    ],
    ['FA-11 a folder of another account', { actioncmds: [{ id: 'move', into: 'default3/INBOX' }] }, 'MAIL_FILTER-0025'],
    ['FA-12 flags that are none', { actioncmds: [{ id: 'addflags', flags: ['Ä b'] }] }, 'MAIL_FILTER-0025'],
    ['flags of the system that are none', { actioncmds: [{ id: 'addflags', flags: ['\\evil'] }] }, 'MAIL_FILTER-0025'],
    ['no actions', { actioncmds: [] }, 'MAIL_FILTER-0025'],
    ['pgp, which the server does not offer', { actioncmds: [{ id: 'pgp', keys: ['x'] }] }, 'MAIL_FILTER-0025'],
    ['flags of rules with other characters', { flags: ['a|b'] }, 'MAIL_FILTER-0025'],
    ['a name of two lines', { rulename: 'a\nb' }, 'MAIL_FILTER-0025'],
  ])('refuse %s', async (_name, rule, code) => {
    expect(await refused(rule)).toBe(code);
    expect(await list()).toEqual([]);
  });

  it('FR-18 FC-04 FS-10 follow what the operator says', async () => {
    const { admin, contextId, U1 } = at.cast;
    const set = async (properties: Record<string, string>) => {
      for (const [key, value] of Object.entries(properties))
        await admin.expect('PUT', `/admin/v1/contexts/${contextId}/users/${U1.userId}/config/${key}`, { value });
    };
    const PREFIX = 'com.example.mail.filter.';
    await set({
      [`${PREFIX}redirectWhitelist`]: '*.example',
      [`${PREFIX}vacationDomains`]: 'a.example, b.example',
      [`${PREFIX}blacklist.actions`]: 'discard',
      [`${PREFIX}blacklist.tests.subject.comparisons`]: 'regex, not regex',
    });
    const { tests } = await good(V2, 'config');
    const comparisonsOf = (id: string) => tests.find((each: { id: string }) => each.id === id).comparisons;
    expect(comparisonsOf('subject')).not.toContain('not regex');
    expect(comparisonsOf('header')).toContain('not regex');
    const onSubjectBy = (id: string) => ({ id, comparison: 'regex', headers: ['Subject'], values: ['x'] });
    expect(await refused({ test: onSubjectBy('subject') })).toBe('MAIL_FILTER-0025');
    await add({ test: onSubjectBy('header'), active: false });
    await good(V2, 'delete', { id: 0 });
    expect(await refused({ actioncmds: [{ id: 'redirect', to: 'x@other.test' }] })).toBe('MAIL_FILTER-0024');
    expect(await refused({ actioncmds: [{ id: 'discard' }] })).toBe('MAIL_FILTER-0025');
    expect((await good(V2, 'config')).actioncmds).not.toContainEqual({ id: 'discard' });
    const test = { id: 'subject', comparison: 'contains', values: ['x'] };
    await add({
      test,
      actioncmds: [
        { id: 'vacation', text: 'x' },
        { id: 'redirect', to: 'x@other.example' },
      ],
    });
    for (let time = 0; time < 2; time++) {
      const [{ actioncmds, ...rule }] = await list();
      expect(rule.test).toEqual(test);
      await good(V2, 'update', { ...rule, actioncmds });
    }
    expect((await script()).match(/a\.example/g)).toHaveLength(1);
    await set({
      [`${PREFIX}redirectWhitelist`]: '',
      [`${PREFIX}vacationDomains`]: '',
      [`${PREFIX}blacklist.actions`]: '',
      [`${PREFIX}blacklist.tests.subject.comparisons`]: '',
    });
  });
});

describe('actions', () => {
  const SAME: readonly (readonly [string, object])[] = [
    ['FA-01', { id: 'redirect', to: 'a@b.example', copy: true }],
    ['FA-02', { id: 'move', into: 'default0/INBOX/Büro', copy: true }],
    ['FA-03', { id: 'reject', text: 'No\r\n.\r\nthanks' }],
    [
      'FA-05',
      {
        id: 'vacation',
        days: 7,
        addresses: ['a@b.example', 'c@d.example'],
        subject: 'Grüße aus dem sehr, sehr langen Urlaub, der noch länger dauert',
        from: ['Änn "x"', 'a@b.example'],
        text: 'Hello\r\n\r\n.\r\nBye',
      },
    ],
    ['FA-05 comma', { id: 'vacation', from: ['Änna, B', 'a@b.example'], text: 'x' }],
    ['FA-05 ASCII', { id: 'vacation', from: ['Ann "x", B', 'a@b.example'], text: 'x' }],
    ['FA-06', { id: 'vacation', text: '"; redirect "evil@far.test"; #\r\n}\r\n.\r\n## Flag: |UniqueId:9|Rulename: x' }],
    ['FA-07', { id: 'addflags', flags: ['\\seen', '$cl_3'] }],
    ['FA-07 set', { id: 'setflags', flags: ['$x'] }],
    ['FA-07 remove', { id: 'removeflags', flags: ['\\flagged'] }],
    ['FA-08', { id: 'notify', message: 'new "mail"', method: 'mailto:a@b.example' }],
    ['discard', { id: 'discard' }],
  ];

  it('FA-13 are given back as they were sent', async () => {
    for (const [rulename, action] of SAME)
      await add({ rulename, actioncmds: [action, { id: 'stop' }, { id: 'keep' }] });
    const found = await list();
    for (const [position, [rulename, action]] of SAME.entries())
      expect(found[position]).toMatchObject({ rulename, actioncmds: [action, { id: 'stop' }, { id: 'keep' }] });
    expect(await script()).toContain('"copy"');
    expect(await script()).toMatch(/:from "=\?UTF-8\?B\?[\w+/=]+\?= <a@b\.example>"/);
    // The first generation has days as text.
    expect((await list(V1))[3].actioncmds[0].days).toBe('7');
  });
});

describe('scripts of others', () => {
  const FOREIGN = [
    'require ["fileinto", "include", "imap4flags"];',
    '# mine',
    'if header :comparator "i;octet" :is "X-A" "b" {',
    '  discard; # gone',
    '} elsif true { keep; }',
    'include :optional :personal "other";',
    'if header :contains "X-Tag" "y" { fileinto "Archive"; }',
    '',
  ].join('\r\n');

  it('FS-04 FS-05 FS-12 are read, kept, and replaced under our name', async () => {
    const { sieve } = at.dovecot;
    await putScript(sieve, 'ann', 'theirs', FOREIGN);
    expect(await list()).toMatchObject([
      { id: 0, position: 0, text: expect.stringContaining('elsif'), errormsg: expect.any(String) },
      { id: 1, position: 1, text: expect.stringContaining('include'), errormsg: expect.any(String) },
      { id: 2, position: 2, test: onSubject('y'), actioncmds: [move('Archive')] },
    ]);
    await add({ rulename: 'new' });
    const text = await script();
    for (const part of FOREIGN.split(/(?<=keep; }\r\n|other";\r\n)/).slice(1)) expect(text).toContain(part);
    // An extension that no rule needs any more is required no more.
    expect(text).toContain('require [ "fileinto", "include" ] ;');
    const said = await manage(sieve, 'ann', ['LISTSCRIPTS', 'GETSCRIPT "theirs"']);
    expect(said).toContain('"Groupware" ACTIVE');
    expect(said).toContain(FOREIGN);
    for (const id of [0, 1]) await good(V2, 'delete', { id });
    expect(await script()).not.toContain('include');
  });

  it('FS-06 with a mistake are read as far as possible, and repaired by removing all', async () => {
    // The server stores no script with a mistake: this one it understands, and the API does not.
    await putScript(at.dovecot.sieve, 'ann', 'odd', 'if true { if true { keep; } }');
    expect(await list()).toMatchObject([{ text: expect.any(String) }]);
    expect(await codeOf(V2, 'update', { id: 0, test: always })).toBe('MAIL_FILTER-0025');
    await good(V2, 'update', { id: 0, active: false, rulename: 'odd' });
    expect(await script()).toContain('#<!-->if true { if true { keep; } }');
    await empty();
    expect(await list()).toEqual([]);
  });

  it('FS-03 FS-07 FS-08 FS-09 of the same product are read whatever their line ends and ids', async () => {
    const name = 'ä'.repeat(2_000);
    const lines = [
      '# Generated by X',
      '',
      `## Flag: |UniqueId:4|Rulename: ${name}`,
      '#<!-->if true ',
      '#<!-->{',
      '#<!-->    discard ;',
      '#<!-->}',
      '',
      '## Flag: autoforward|UniqueId:4|Rulename: b',
      'if true ',
      '{',
      '    redirect "a@b.example" ;',
      '}',
      '',
    ];
    await putScript(at.dovecot.sieve, 'ann', 'Groupware', lines.join('\n'));
    expect(await list()).toMatchObject([
      { id: 4, rulename: name, active: false, actioncmds: [{ id: 'discard' }] },
      { id: 5, rulename: 'b', active: true, flags: ['autoforward'] },
    ]);
    await good(V2, 'update', { id: 4, active: true });
    const text = await script();
    expect(text).toContain('## Flag: autoforward|UniqueId:5|');
    expect(text).not.toContain('#<!-->');
    await good(V2, 'update', { id: 4, rulename: name.slice(1) });
    expect((await list())[0].rulename).toBe(name.slice(1));
  });
});

describe('delivered mails', () => {
  it('FD-01 FD-11 FA-07 FA-13 go where rules say', async () => {
    await add({
      test: { id: 'subject', comparison: 'is', values: ['Grüße'] },
      actioncmds: [move('Archive'), { id: 'stop' }],
    });
    await add({
      test: onSubject('x'),
      actioncmds: [{ id: 'addflags', flags: ['\\flagged', '$cl_3'] }, { id: 'keep' }],
    });
    await add({ test: onSubject('gone'), actioncmds: [{ id: 'discard' }], active: false });
    const encoded = `=?UTF-8?Q?Gr=C3=BC=C3=9Fe?=`;
    expect((await at.deliver({ subject: encoded })).folders).toEqual(['Archive']);
    expect((await at.deliver({ subject: 'Gruesse', headers: ['X-Tag: gone'] })).folders).toEqual(['INBOX']);
    const flagged = await at.deliver({ subject: 'a', headers: ['X-Tag: x'] });
    expect(flagged).toEqual({ folders: ['INBOX'], flags: ['$cl_3', '\\Flagged'] });
  });
});

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const today = () => Math.floor(Date.now() / DAY_MS) * DAY_MS;

describe('mails that rules answer and send on', () => {
  const away = { id: 'vacation', days: 7, addresses: ['ann@mail.test'], subject: 'Away', text: 'Back on Monday' };
  /** Delivers a mail and lists the receivers of answers. */
  const answered = async (mail: Omit<DeliveredMail, 'subject'>): Promise<readonly string[]> => {
    const before = at.sent.length;
    const { folders } = await at.deliver({ subject: 'Question', ...mail });
    expect(folders).toEqual(['INBOX']);
    return at.sent.slice(before).flatMap(({ to }) => to);
  };
  /** Count of senders; each is one that got no answer yet. */
  let senders = 0;
  const stranger = () => `stranger-${(senders += 1)}@far.test`;

  it('FD-07 answers each sender once in the days of a notice, and neither lists nor bounces', async () => {
    await add({ flags: ['vacation'], actioncmds: [away] });
    const [first, second] = [stranger(), stranger()];
    expect(await answered({ sender: first })).toEqual([first]);
    expect(at.sent.at(-1)!.text).toMatch(/^Subject: Away\r?$/m);
    expect(at.sent.at(-1)!.text).toContain('Back on Monday');
    expect(await answered({ sender: first })).toEqual([]);
    expect(await answered({ sender: second })).toEqual([second]);
    for (const header of ['List-Id: <news.far.test>', 'Precedence: bulk', 'Auto-Submitted: auto-replied'])
      expect(await answered({ sender: stranger(), headers: [header] })).toEqual([]);
    expect(await answered({ sender: '' })).toEqual([]);
    expect(await answered({ sender: 'mailer-daemon@far.test' })).toEqual([]);
    // The sender did not write to the user by name: the mail came by way of a list or as a blind copy.
    expect(await answered({ sender: stranger(), headers: ['To: others@far.test'] })).toEqual([]);
  });

  it('FD-08 answers between two days only', async () => {
    const between = (from: number, to: number) => ({
      id: 'allof',
      tests: [
        { id: 'currentdate', comparison: 'ge', datepart: 'date', datevalue: [today() + from * DAY_MS], zone: '+0000' },
        { id: 'currentdate', comparison: 'le', datepart: 'date', datevalue: [today() + to * DAY_MS], zone: '+0000' },
      ],
    });
    await add({ flags: ['vacation'], test: between(2, 9), actioncmds: [away] });
    expect(await answered({ sender: stranger() })).toEqual([]);
    await good(V2, 'update', { id: 0, test: between(-9, -1) });
    expect(await answered({ sender: stranger() })).toEqual([]);
    await good(V2, 'update', { id: 0, test: between(0, 1) });
    const sender = stranger();
    expect(await answered({ sender })).toEqual([sender]);
  });

  it('FD-12 follows rules against spam in their place', async () => {
    const to = (folder: string) => [move(folder), { id: 'stop' }];
    await add({ rulename: 'own', test: onSubject('s'), actioncmds: to('Archive') });
    await add({ rulename: 'spam', flags: ['antispam'], test: onSubject('s'), position: 0, actioncmds: to('Junk') });
    const delivered = async () => (await at.deliver({ subject: 's', headers: ['X-Tag: s'] })).folders;
    expect(await delivered()).toEqual(['Junk']);
    await good(V2, 'update', { id: 1, position: 1 });
    expect(await delivered()).toEqual(['Archive']);
  });

  it('FD-13 keeps a mail in the inbox that rules would send on too often', async () => {
    const actioncmds = [1, 2, 3].map((each) => ({ id: 'redirect', to: `a${each}@far.test` }));
    await add({ actioncmds });
    await add({ actioncmds: actioncmds.map((each) => ({ ...each, to: `b${each.to}` })) });
    expect((await at.deliver({ subject: 'often' })).folders).toEqual(['INBOX']);
  });

  it('FA-10 sends on to the own address once', async () => {
    await add({ actioncmds: [{ id: 'redirect', to: 'ann@mail.test' }] });
    const before = at.sent.length;
    expect((await at.deliver({ subject: 'loop' })).folders).toEqual([]);
    expect(at.sent.slice(before)).toMatchObject([{ to: ['ann@mail.test'] }]);
    const { from: sender, text: source } = at.sent.at(-1)!;
    const { folders } = await at.deliver({ subject: 'loop', sender, source });
    expect(at.sent).toHaveLength(before + 1);
    expect(folders).toEqual(['INBOX']);
  });

  it('FS-11 follow a folder to its new name', async () => {
    const folders = (action: string, parameters: Record<string, string>, body: object) =>
      at.cast.U1.put<string>('folders', action, { tree: '1', ...parameters }, body);
    const { data: id } = await folders('new', { folder_id: 'default0' }, { title: 'Plans', module: 'mail' });
    await folders('new', { folder_id: id! }, { title: 'inner', module: 'mail' });
    await add({ test: onSubject('p'), actioncmds: [move('Plans.inner'), { id: 'stop' }], rulename: 'kept' });
    await add({ test: onSubject('q'), actioncmds: [move('PlansB'), move('Plans', { copy: true })], active: false });
    const renamed = await folders('update', { id: id!, timestamp: '9000000000000' }, { title: 'Büro' });
    expect(renamed.data).toBe('default0/Büro');
    expect(await list()).toMatchObject([
      { rulename: 'kept', active: true, test: onSubject('p'), actioncmds: [move('Büro.inner'), { id: 'stop' }] },
      { active: false, actioncmds: [move('PlansB'), move('Büro', { copy: true })] },
    ]);
    expect((await at.deliver({ subject: 'p', headers: ['X-Tag: p'] })).folders).toEqual(['Büro.inner']);
  });
});

describe('changes at the same time', () => {
  it('FR-19 FM-10 are all done, with different ids', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, (_, index) => add({ rulename: `r${index}` })));
    expect([...ids].sort()).toEqual([0, 1, 2, 3, 4, 5]);
    expect((await names()).sort()).toEqual(['r0', 'r1', 'r2', 'r3', 'r4', 'r5']);
  });
});

describe('a server that fails', () => {
  const serverOf = async (login: string, imap: object) => {
    const { admin, contextId, U2 } = at.cast;
    await admin.expect('PUT', `/admin/v1/contexts/${contextId}/users/${U2.userId}/mail-account`, {
      imap: { host: 'mail.test', port: at.dovecot.imaps, secure: true, login, ...imap },
    });
    await at.cast.U2.call('GET', 'account', 'all', { columns: '1001' });
    return at.cast.U2.call('GET', V2, 'list', {});
  };

  it('FM-02 is told apart from a login that it refuses', async () => {
    expect((await serverOf('nobody', {})).code).toBe('MAIL_FILTER-0002');
    expect((await serverOf('bob', {})).data).toEqual([]);
  });

  it('FM-06 FR-23 is not asked for users without the permission, and says when rules are too large', async () => {
    const text = 'x'.repeat(90_000);
    let code: string | undefined;
    for (let rule = 0; rule < 16 && code === undefined; rule++)
      code = (await call(V2, 'new', { test: always, active: false, actioncmds: [{ id: 'reject', text }] })).code;
    expect(code).toBe('MAIL_FILTER-0025');
    const before = await list();
    expect(before.length).toBeGreaterThan(5);
    await empty();
    const { U3 } = at.cast;
    expect((await U3.call('GET', V2, 'list', {})).code).toMatch(/^MAIL_FILTER-00(10|27)$/);
  });
});

describe('another server', () => {
  let plain: Dovecot;
  const PREFIX = 'com.example.mail.filter.';
  const start = (users: Record<string, string>, sieve: DovecotOptions['sieve']) =>
    startDovecot({ certificate: at.outside.authority.issue(['mail.test']), users, sieve });
  /** Server values while a test works. */
  const use = (values: Record<string, string | number>) =>
    at.world.setProperties(
      Object.fromEntries(Object.entries(values).map(([key, value]) => [`${PREFIX}${key}`, String(value)])),
    );
  beforeAll(async () => {
    plain = await start(
      { ann: MAIL_PASSWORD },
      { extensions: '-vacation -enotify +editheader', maxScriptBytes: 2_000 },
    );
  });
  afterEach(() => at?.world.setProperties());
  afterAll(() => plain?.stop());

  it('FC-03 FA-14 without vacation and notices offers neither, and takes neither', async () => {
    await use({ port: plain.sieve });
    const { actioncommands, capabilities } = await good(V1, 'config');
    const { actioncmds } = await good(V2, 'config');
    for (const action of ['vacation', 'notify']) {
      expect(actioncommands).not.toContain(action);
      expect(actioncmds).not.toContainEqual({ id: action });
    }
    expect(actioncommands).toContain('redirect');
    expect(capabilities).toEqual(expect.not.arrayContaining(['vacation', 'enotify']));
    for (const module of [V1, V2])
      for (const action of [
        { id: 'vacation', text: 'Away' },
        { id: 'notify', method: 'mailto:a@b.example' },
      ])
        expect(await refused({ actioncmds: [action] }, module)).toBe('MAIL_FILTER-0025');
    expect(await list()).toEqual([]);
  });

  it('that lets rules change headers offers that, and gives it back as it was sent', async () => {
    expect((await good(V2, 'config')).actioncmds).not.toContainEqual({ id: 'addheader' });
    const actioncmds = [
      { id: 'addheader', name: 'X-Seen', value: 'by "rules"', last: true },
      { id: 'deleteheader', name: 'X-Old', values: ['a', 'b'] },
      { id: 'deleteheader', name: 'X-Older' },
    ];
    expect(await refused({ actioncmds })).toBe('MAIL_FILTER-0025');
    await use({ port: plain.sieve });
    expect((await good(V2, 'config')).actioncmds).toEqual(
      expect.arrayContaining([{ id: 'addheader' }, { id: 'deleteheader' }]),
    );
    const id = await add({ actioncmds });
    await good(V2, 'update', (await list())[0]);
    expect(await list()).toMatchObject([{ id, actioncmds }]);
    expect(await script()).toContain('require [ "editheader" ] ;');
    expect(await refused({ actioncmds: [{ id: 'addheader', name: 'X Y', value: 'x' }] })).toBe('MAIL_FILTER-0025');
    await empty();
  });

  it('FM-01 that is down or silent is told with its host and port, in time', async () => {
    const port = await findFreePort();
    await use({ port });
    const told = (own: number) => ({ code: 'MAIL_FILTER-0014', error_params: ['mail.test', String(own)] });
    for (const module of [V1, V2]) expect(await call(module, 'list')).toMatchObject(told(port));
    const silent = await at.outside.peer();
    await use({ port: silent, connectionTimeout: 300 });
    const before = Date.now();
    expect(await call(V2, 'list')).toMatchObject(told(silent));
    expect(Date.now() - before).toBeLessThan(5_000);
  });

  it('FM-03 that refuses a script is told with its text, and keeps the rules', async () => {
    await use({ port: plain.sieve });
    await add({ rulename: 'kept' });
    const large = { rulename: 'large', actioncmds: [{ id: 'reject', text: 'x'.repeat(3_000) }] };
    const wrong = { test: { id: 'header', comparison: 'regex', headers: ['X-A'], values: ['a['] } };
    for (const rule of [large, wrong]) {
      const answer = await call(V2, 'new', { test: always, actioncmds: keep, ...rule });
      expect(answer.code).toBe('MAIL_FILTER-0025');
      expect(answer.error_params).toEqual([expect.stringMatching(/too large|exceeds|regular expression|regex/i)]);
    }
    expect(await list()).toMatchObject([{ id: 0, rulename: 'kept' }]);
    await empty();
  });

  it('FM-07 keeps the old script when the connection breaks while a new one is stored', async () => {
    await add({ rulename: 'old' });
    const link = await BreakableLink.openTo(`tcp://127.0.0.1:${at.dovecot.sieve}`);
    try {
      await use({ port: new URL(link.url('tcp://x:1')).port });
      link.cutAfter(40_000);
      const text = 'x'.repeat(90_000);
      const answer = await call(V2, 'new', { test: always, actioncmds: [{ id: 'reject', text }] });
      expect(answer.code).toBe('MAIL_FILTER-0015');
    } finally {
      await link.close();
    }
    await at.world.setProperties();
    expect(await names()).toEqual(['old']);
    expect(await manage(at.dovecot.sieve, 'ann', ['LISTSCRIPTS'])).toContain('"Groupware" ACTIVE');
  });

  describe('with a master', () => {
    let shared: Dovecot;
    beforeAll(async () => {
      const { U1, U2 } = at.cast;
      shared = await start(
        { [U1.email]: MAIL_PASSWORD, [U2.email]: MAIL_PASSWORD, ann: MAIL_PASSWORD },
        { master: MASTER },
      );
    });
    afterAll(() => shared?.stop());

    it('FM-09 gets the login that the operator names, and the password of the master', async () => {
      const { email } = at.cast.U1;
      for (const [credentialSource, login] of [
        ['mail', email],
        ['imapLogin', 'ann'],
      ] as const) {
        await use({ port: shared.sieve, credentialSource, passwordSource: 'global' });
        await add({ rulename: credentialSource });
        expect(await manage(shared.sieve, login, ['GETSCRIPT "Groupware"'])).toContain(`Rulename: ${credentialSource}`);
      }
      await use({ port: shared.sieve, credentialSource: 'mail' });
      expect(await names()).toEqual(['mail']);
      expect(shared.log()).toContain(`user=<${email}>`);
      expect(shared.log()).not.toContain(MASTER.password);
    });

    it('FM-11 lets the administrator of the context change the rules of a user', async () => {
      const { contextId, U1, U2, U3 } = at.cast;
      const admin = new Client(at.world.publicUrl);
      await admin.login(`admin@${contextId}`, PASSWORD);
      await use({ port: shared.sieve, credentialSource: 'mail', passwordSource: 'global' });
      await add({ rulename: 'theirs' });
      const [name] = U1.loginName.split('@');
      const asAdmin = (action: string, body?: object, username = name!) =>
        body ? admin.call('PUT', V2, action, { username }, body) : admin.call('GET', V2, action, { username });
      for (const username of [name!, U1.email])
        expect((await asAdmin('list', undefined, username)).data.map((rule: any) => rule.rulename)).toContain('theirs');
      const { data: id } = await asAdmin('new', { rulename: 'by admin', test: always, actioncmds: keep });
      expect(await names()).toContain('by admin');
      expect((await asAdmin('delete', { id })).error).toBeUndefined();
      expect((await asAdmin('config')).data.actioncmds).toContainEqual({ id: 'redirect' });
      expect((await asAdmin('list', undefined, 'nobody')).code).toBe('MAIL_FILTER-0027');
      expect((await asAdmin('list', undefined, at.cast.X1.email)).code).toBe('MAIL_FILTER-0027');
      // No other user may, and none at all without the master.
      for (const other of [U2, U3])
        expect((await other.call('GET', V2, 'list', { username: name! })).code).toBe('MAIL_FILTER-0027');
      await use({ port: shared.sieve, credentialSource: 'mail' });
      expect((await asAdmin('list')).code).toBe('MAIL_FILTER-0027');
    });
  });
});
