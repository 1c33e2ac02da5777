import { operations } from '@groupware/contracts';
import { until } from '@groupware/test-kit';
import { Client } from '../client';
import { createContext, createTestUser, PASSWORD, type TestUser } from '../fixtures';
import { MAIL_PASSWORD } from '../mail-account/outside';
import { openEvents } from '../push/streams';
import {
  provisionMailbox,
  startChangedImap,
  startMail,
  storeMails,
  type ImapChanges,
  type MailFixtures,
  type StoredMail,
} from './mailbox';

let at: MailFixtures;
beforeAll(async () => {
  // Clients that look say so often, so that those that left are noticed soon.
  const watch = { GATEWAY_STREAM_CHECK_MS: '300', MAIL_WATCH_IDLE_MS: '1000', MAIL_WATCH_LEASE_MS: '600' };
  const breaker = { MAIL_BREAKER_FAILURES: '2', MAIL_BREAKER_PAUSE_MS: '10000' };
  at = await startMail(['ann', 'bob', 'cleo', 'dora'], { ...watch, ...breaker });
}, 120_000);
afterAll(() => at?.close());

const store = (folder: string, mails: readonly StoredMail[]) => storeMails(at.imap, folder, mails);
const named = (...names: readonly string[]): StoredMail[] => names.map((subject) => ({ subject }));
const all = async (folder: string, columns: string, parameters: object = {}): Promise<any[][]> =>
  (await at.cast.U1.get('mail', 'all', { folder: `default0/${folder}`, columns, ...parameters })).data;
const subjects = async (folder: string, parameters: object = {}): Promise<string[]> =>
  (await all(folder, '607', parameters)).map(([subject]) => subject);
const update = (folder: string, id: string | undefined, body: object) =>
  at.cast.U1.put('mail', 'update', { folder: `default0/${folder}`, id }, body);
const search = async (folder: string, filter: unknown, parameters: object = {}): Promise<string[]> => {
  const query = { folder: `default0/${folder}`, columns: '607', sort: 607, order: 'asc', ...parameters };
  return (await at.cast.U1.put('mail', 'search', query, { filter })).data.map(([subject]: string[]) => subject);
};

/** Gives U1 an account at another server; answers its number. */
const addAccount = async (name: string, port: number): Promise<number> => {
  const external = {
    ...{ name, mail_url: `imaps://mail.test:${port}`, login: 'ann', password: MAIL_PASSWORD },
    ...{ primary_address: `${name}@mail.test`, transport_url: 'smtp://mail.test:2525' },
  };
  return (await at.cast.U1.put('account', 'new', {}, external)).data.id;
};
/** Gives U1 its mailbox once more, at a server that does some things otherwise; answers the number of the account. */
const addChangedAccount = async (name: string, changes: ImapChanges): Promise<number> =>
  addAccount(name, await startChangedImap(at.outside, changes));

describe('lists of mails', () => {
  it('MA-01 tell id, folder and subject', async () => {
    const [id] = await store('F1', named('alpha'));
    expect(await all('F1', '600,601,607')).toEqual([[id, 'default0/F1', 'alpha']]);
  });

  it('MA-10 MA-13 hold the part that is asked for', async () => {
    await store('F2', named('e', 'b', 'd', 'a', 'c'));
    const sorted = { sort: 607, order: 'asc' };
    expect(await subjects('F2', { ...sorted, left_hand_limit: 2, right_hand_limit: 4 })).toEqual(['c', 'd']);
    expect(await subjects('F2', { ...sorted, left_hand_limit: 2 })).toHaveLength(5);
    expect(await subjects('F2', { ...sorted, limit: '1,3' })).toEqual(['b', 'c']);
    expect(await subjects('F2', { ...sorted, limit: '3,1' })).toEqual([]);
    expect(await subjects('F2')).toEqual(['e', 'b', 'd', 'a', 'c']);
  });

  it('MA-07 MA-08 name mails of several folders in the order asked for', async () => {
    const [one] = await store('F3', named('one', 'two'));
    const [three] = await store('INBOX', named('three'));
    const body = [
      { id: three, folder: 'default0/INBOX' },
      { id: '99999', folder: 'default0/F3' },
      { id: one, folder: 'default0/F3' },
    ];
    const list = (references: object[]) => at.cast.U1.put('mail', 'list', { columns: '600,607' }, references);
    const { data } = await list(body);
    expect(data).toEqual([
      [three, 'three'],
      [one, 'one'],
    ]);
    expect((await list(body.map(({ id, folder }) => ({ id: Number(id), folder })))).data).toEqual(data);
    expect((await list([{ id: 'none', folder: 'INBOX' }])).data).toEqual([]);
  });

  it('MA-21 MA-22 MA-23 are sorted by flags and colours, and cut after the filter', async () => {
    await store('F4', [
      { subject: 'b', flags: ['\\Seen', '$cl_2'] },
      { subject: 'd' },
      { subject: 'a', flags: ['\\Seen', '$cl_9', '\\Answered', '\\Flagged', '$Forwarded', '\\Draft'] },
      { subject: 'c' },
    ]);
    expect(await subjects('F4', { sort: 651, order: 'asc' })).toEqual(['d', 'c', 'b', 'a']);
    expect(await subjects('F4', { sort: 651, order: 'desc' })).toEqual(['a', 'b', 'c', 'd']);
    expect(await subjects('F4', { sort: 102, order: 'asc' })).toEqual(['d', 'c', 'b', 'a']);
    for (const sort of [657, 658, 659, 660]) expect((await subjects('F4', { sort, order: 'desc' }))[0]).toBe('a');
    expect(await subjects('F4', { unseen: true, limit: '0,1', sort: 607, order: 'asc' })).toEqual(['c']);
  });

  it('MA-30 MA-31 MA-32 are sorted by dates, names and arrival', async () => {
    const date = 'Date: Tue, 02 Jan 2024 10:00:00 +0000';
    await store('F5', [
      { subject: '1', from: 'zoe <z@mail.test>', headers: [date], received: '2024-05-01T00:00:00Z' },
      { subject: '2', from: '=?utf-8?q?=C3=84rger?= <a@mail.test>', headers: [date], received: '2024-05-02T00:00:00Z' },
      { subject: '3', from: 'anna <n@mail.test>', received: '2024-05-03T00:00:00Z' },
      { subject: '4', from: 'bob@x.example', received: '2020-01-01T00:00:00Z' },
    ]);
    const byDate = await subjects('F5', { sort: 609, order: 'asc' });
    expect(await subjects('F5', { sort: 609, order: 'desc' })).toEqual([...byDate].reverse());
    const byName = await subjects('F5', { sort: 603, order: 'asc' });
    expect(byName.slice(2)).toEqual(['4', '1']);
    expect(byName.slice(0, 2).sort()).toEqual(['2', '3']);
    expect(await subjects('F5', { sort: 610, order: 'desc' })).toEqual(['3', '2', '1', '4']);
    expect(await subjects('F5', { sort: 600, order: 'desc' })).toEqual(['4', '3', '2', '1']);
    for (const sort of [602, 604, 605, 608, 652, 661])
      expect(await subjects('F5', { sort, order: 'asc' })).toHaveLength(4);
  });

  it('MA-29 MA-36 MA-38 take the ids that folders have', async () => {
    await store('Projekte & Co', named('plan'));
    expect(await subjects('Projekte & Co')).toEqual(['plan']);
    for (const folder of ['INBOX', 'default0/inbox', 'default0/INBOX']) {
      const { data } = await at.cast.U1.get('mail', 'all', { folder, columns: '601,607' });
      expect(data).toEqual([['default0/INBOX', 'three']]);
    }
    const root = { folder: 'default0', columns: '600' };
    expect((await at.cast.U1.get('mail', 'all', root)).code).toBe('MSG-0050');
    const pattern = [{ col: 607, pattern: 'plan' }];
    expect((await at.cast.U1.put('mail', 'search', root, pattern)).code).toBe('MSG-0050');
  });

  it('MA-34 MA-35 tell what is there at the moment', async () => {
    const ids = await store('F6', named('a', 'b', 'c'));
    expect(await subjects('F6', { limit: '0,2' })).toEqual(['a', 'b']);
    await at.imap.mailboxOpen('F6');
    await at.imap.messageDelete(ids[0]!, { uid: true });
    await at.imap.mailboxClose();
    await store('F6', [{ subject: 'd', received: '2024-02-01T00:00:00Z' }]);
    expect(await subjects('F6', { limit: '1,5' })).toEqual(['c', 'd']);
    await at.imap.mailboxDelete('F6');
    await store('F6', named('new'));
    expect(await subjects('F6')).toEqual(['new']);
  });

  it('MA-37 know sets of columns', async () => {
    const [id] = await store('F7', named('set'));
    expect(await all('F7', 'all')).toEqual([[id, 'default0/F7']]);
    const [row] = await all('F7', 'list');
    expect(row).toHaveLength(12);
    expect(row!.slice(0, 5)).toEqual([id, 'default0/F7', 3, false, expect.any(Number)]);
    expect((await at.cast.U1.get('mail', 'all', { folder: 'default0/F7', columns: '' })).code).toBe('SVL-0002');
  });

  it('are refused with parameters that make no sense', async () => {
    const ask = async (action: string, parameters: object) =>
      (await at.cast.U1.get('mail', action, { folder: 'default0/F2', columns: '600', ...parameters })).code;
    for (const action of ['all', 'threadedAll']) {
      expect(await ask(action, { sort: 607 })).toBe('MSG-0030');
      expect(await ask(action, { sort: 607, order: 'up' })).toBe('MSG-0031');
      expect(await ask(action, { sort: 'name', order: 'asc' })).toBe('MSG-0031');
      expect(await ask(action, { limit: 'x' })).toBe('MSG-0031');
      expect(await ask(action, { timezone: 'Mars' })).toBe('MSG-0031');
    }
    expect(await ask('threadedAll', { max: 'x' })).toBe('MSG-0031');
    const query = { folder: 'default0/F2', columns: '600' };
    expect((await at.cast.U1.put('mail', 'search', { ...query, sort: 607 }, [])).code).toBe('MSG-0030');
    expect((await at.cast.U1.put('mail', 'search', { ...query, limit: 'x' }, [])).code).toBe('MSG-0031');
  });
});

describe('columns of mails', () => {
  it('MC-06 MC-10 MC-11 MC-12 MC-13 MC-14 MC-15 MC-17 are read from headers and flags', async () => {
    const ids = await store('C1', [
      { subject: '1', headers: ['Importance: high'], flags: ['$Forwarded', '$cl_3', 'Work'] },
      {
        subject: 'M\xfcnchen',
        from: '"Doe, Jane" <j@mail.test>, Bob <b@mail.test>',
        headers: ['Sender: j@mail.test', 'X-Priority: 5', 'To: undisclosed-recipients:;', 'Date: 31 Feb 2023'],
      },
      {
        subject: Buffer.from('K\u00f6ln').toString('latin1'),
        from: 'a@xn--mller-kva.example',
        headers: [
          'Date: Thu, 1 Jan 1970 00:00:00 GMT',
          'X-Two: 1',
          'X-Two: 2',
          'Disposition-Notification-To: r@x.example',
        ],
      },
    ]);
    const rows = await all('C1', '607,614,611,102,603,604,609,613,X-Two,X-None,999,605', { timezone: 'utc' });
    expect(rows[0]!.slice(0, 2)).toEqual(['1', 1]);
    expect([rows[0]![2] & 256, rows[0]![3]]).toEqual([256, 3]);
    const get = (id: string | undefined) =>
      at.cast.U1.get('mail', 'get', { folder: 'default0/C1', id: id!, unseen: true });
    expect((await get(ids[0])).data).toMatchObject({ user: ['Work'], color_label: 3, forwarded: true });
    expect((await get(ids[1])).data).not.toHaveProperty('user');
    expect(rows[1]!.slice(0, 2)).toEqual(['M\u00fcnchen', 5]);
    expect(rows[1]!.slice(4, 6)).toEqual([
      [
        ['"Doe, Jane"', 'j@mail.test'],
        ['Bob', 'b@mail.test'],
      ],
      [],
    ]);
    expect(rows[2]).toEqual([
      ...['K\u00f6ln', 3, expect.any(Number), 0, [[null, 'a@m\u00fcller.example']], []],
      ...[0, 'r@x.example', ['1', '2'], null, null, []],
    ]);
  });

  it('MC-08 MC-16 MC-19 MG-09 tell account, zone, size and attachments', async () => {
    const mixed = [
      ...['--b', 'Content-Type: text/plain', '', 'text', '--b'],
      ...['Content-Type: image/png; name=p.png', 'Content-Disposition: attachment', '', 'x', '--b--'],
    ].join('\r\n');
    const [plain, file] = await store('C2', [
      { subject: 'plain', received: '2024-06-01T12:00:00Z', text: 'x'.repeat(3_000_000) },
      {
        headers: ['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=b'],
        text: mixed,
        received: '2024-06-02T00:00:00Z',
      },
    ]);
    const rows = await all('C2', '653,654,655,656,602,652,612,311,309', { timezone: 'UTC' });
    expect(rows).toEqual([
      [0, plain, 'default0/C2', 'text/plain', false, 'E-Mail', 0, -1, null],
      [0, file, 'default0/C2', 'multipart/mixed', true, 'E-Mail', 0, -1, null],
    ]);
    const received = Date.UTC(2024, 5, 1, 12);
    const [[utc, size, preview]] = (await all('C2', '610,608,663', { timezone: 'utc' })) as [[number, number, string]];
    expect([utc, size > 3_000_000, preview.length > 50]).toEqual([received, true, true]);
    await store('C3', [
      { text: 'Gr\xfc\xdfe, raw' },
      { headers: ['MIME-Version: 1.0', 'Content-Type: text/enriched'], text: '<bold>Hi</bold> Ann' },
      { text: 'see below\r\n\r\nbegin 644 a.txt\r\n#86)C\r\n`\r\nend' },
    ]);
    expect(await all('C3', '663', { sort: 600, order: 'asc' })).toEqual([
      ['Gr\u00fc\u00dfe, raw'],
      ['Hi Ann'],
      ['see below'],
    ]);
    const [[shifted]] = (await all('C2', '661', { timezone: 'America/Sao_Paulo' })) as [[number]];
    expect(shifted).toBe(received - 10_800_000);
  });
});

describe('single mails', () => {
  it('MG-01 are read by reading them, and found by their Message-ID', async () => {
    const [id] = await store('G1', [{ subject: 'read', headers: ['Message-ID: <m1@x.example>'] }]);
    const get = (parameters: object) => at.cast.U1.get('mail', 'get', { folder: 'default0/G1', ...parameters });
    expect((await get({ id, src: 1, unseen: true })).data).toBe(
      'From: Ann <ann@mail.test>\r\nSubject: read\r\nMessage-ID: <m1@x.example>\r\n\r\nHello\r\n',
    );
    expect(await subjects('G1', { unseen: true })).toEqual(['read']);
    expect((await get({ message_id: '<m1@x.example>', hdr: 1 })).data).toContain('Subject: read\r\n');
    expect(await subjects('G1', { unseen: true })).toEqual([]);
    expect((await get({ id: '4711', hdr: 1 })).code).toBe('MSG-0032');
    expect((await get({ hdr: 1 })).code).toBe('SVL-0002');
    const { session } = at.cast.U1;
    const wanted = { action: 'get', session, folder: 'default0/G1', src: '1', save: '1' };
    const saved = await at.cast.U1.fetch('GET', '/mail', { ...wanted, message_id: '<m1@x.example>' });
    expect(saved.headers.get('content-disposition')).toContain('read.eml');
    expect(await saved.text()).toMatch(/^From: Ann .*\r\n\r\nHello\r\n$/s);
    expect(await (await at.cast.U1.fetch('GET', '/mail', wanted)).text()).toContain('SVL-0002');
  });

  it('MG-25 are read or gone while another client deletes them', async () => {
    const ids = await store('G3', named('a', 'b', 'c', 'd', 'e', 'f'));
    await at.imap.mailboxOpen('G3');
    for (const id of ids) {
      const read = at.cast.U1.get('mail', 'get', { folder: 'default0/G3', id });
      const [answer] = await Promise.all([read, at.imap.messageDelete(id, { uid: true })]);
      expect(answer.code ?? answer.data.id).toBe(answer.code ? 'MSG-0032' : id);
      expect((await at.cast.U1.get('mail', 'get', { folder: 'default0/G3', id })).code).toBe('MSG-0032');
    }
    await at.imap.mailboxClose();
  });

  it('MG-26 are read in folders that take no changes, and stay unread', async () => {
    const stored: string[] = [];
    const account = await addChangedAccount('shared', {
      answer: (command) => {
        if (!/^UID STORE/i.test(command)) return undefined;
        stored.push(command);
        return 'NO [READ-ONLY] no changes';
      },
      rewrite: (text) => text.replace('[READ-WRITE]', '[READ-ONLY] '),
    });
    const [id] = await store('G4', [{ subject: 'shared', text: 'to read' }]);
    const { data, error } = await at.cast.U1.get('mail', 'get', { folder: `default${account}/G4`, id, view: 'raw' });
    expect([error, data.unseen, data.flags & 32, data.attachments[0].content.trim()]).toEqual([
      ...[undefined, true, 0, 'to read'],
    ]);
    expect([stored, await subjects('G4', { unseen: true })]).toEqual([[], ['shared']]);
  });

  it('MA-26 are counted', async () => {
    await store('G2', named('a'));
    const ask = (action: string) => at.cast.U1.get('mail', action, { folder: 'default0/G2' });
    const before = (await ask('examine')).data;
    await store('G2', named('b'));
    const after = (await ask('examine')).data;
    expect(after).toMatchObject({ validity: before.validity, total: before.total + 1, unread: before.unread + 1 });
    expect(Number(after.next)).toBeGreaterThan(Number(before.next));
    expect((await ask('count')).data).toBe(2);
    const updates = await at.cast.U1.get('mail', 'updates', { folder: 'default0/G2', columns: '600' });
    expect(updates.data).toEqual([]);
  });
});

describe('changes of mails', () => {
  const flagsOf = async (folder: string) =>
    (await all(folder, '611,102')).map(([flags, color]) => [flags & ~80, color]);

  it('are refused where the mail is named by nothing, and change none', async () => {
    const [id] = await store('U5', named('one', 'two'));
    const folder = 'default0/U5';
    const change = (name: object) => at.cast.U1.put('mail', 'update', { folder, ...name }, { set_flags: 8 });
    for (const name of [{ id: '' }, { message_id: '' }, { id: '', message_id: '' }, { id, message_id: '' }])
      expect(await change(name)).toMatchObject({ code: 'MSG-0031', error_params: [expect.stringContaining('id'), ''] });
    expect((await at.cast.U1.put('mail', 'copy', { folder, id: '' }, { folder_id: folder })).code).toBe('SVL-0002');
    expect(await flagsOf('U5')).toEqual([
      [0, 0],
      [0, 0],
    ]);
    const calls = [{ module: 'mail', action: 'update', folder, id: '', data: { set_flags: 8 } }];
    const [{ code }] = (await at.cast.U1.put('multiple', '', {}, calls)) as any;
    expect(code).toBe('MSG-0031');
    expect((await flagsOf('U5'))[0]).toEqual([0, 0]);
  });

  it('MC-17 set and clear flags and colours', async () => {
    const [id] = await store('U1', named('flags'));
    expect((await update('U1', id, { flags: 32, value: true })).data).toEqual({ folder_id: 'default0/U1', id });
    await update('U1', id, { color_label: 3, set_flags: 9 });
    expect(await flagsOf('U1')).toEqual([[41, 3]]);
    // Without value flags are cleared.
    await update('U1', id, { flags: 32, color_label: 5, clear_flags: 1 });
    expect(await flagsOf('U1')).toEqual([[8, 5]]);
    await update('U1', undefined, { color_label: 0, set_flags: 32 });
    expect(await flagsOf('U1')).toEqual([[40, 0]]);
    expect((await update('U1', id, { color_label: 11 })).code).toBe('MSG-0010');
    expect((await update('U1', '4711', { flags: 1 })).code).toBe('MSG-0032');
    await store('U1', named('unread'));
    expect((await at.cast.U1.put('mail', 'all_seen', { folder: 'default0/U1' }, undefined)).data).toBe(true);
    expect(await subjects('U1', { unseen: true })).toEqual([]);
  });

  it('MC-18 flag what gets a colour, and take the colour with the flag, where operators want it', async () => {
    const { admin, contextId, U1 } = at.cast;
    const setting = `/admin/v1/contexts/${contextId}/users/${U1.userId}/config/com.example.mail.flagging.mode`;
    const [id] = await store('U3', [{ subject: 'marked', flags: ['$cl_1'] }]);
    await update('U3', id, { color_label: 2 });
    expect(await flagsOf('U3')).toEqual([[0, 2]]);
    await admin.expect('PUT', setting, { value: 'flaggedImplicit' });
    await until(async () => {
      await update('U3', id, { color_label: 5 });
      return (await flagsOf('U3'))[0]![0] === 8;
    });
    expect(await flagsOf('U3')).toEqual([[8, 5]]);
    await update('U3', id, { flags: 8, value: false });
    expect(await flagsOf('U3')).toEqual([[0, 0]]);
    await update('U3', id, { color_label: 3 });
    await update('U3', id, { color_label: 0 });
    expect(await flagsOf('U3')).toEqual([[0, 0]]);
    await admin.expect('DELETE', setting);
    await until(async () => {
      await update('U3', id, { color_label: 4, clear_flags: 8 });
      return (await flagsOf('U3'))[0]![0] === 0;
    });
  });

  it('MF-15 of two clients at once are all there', async () => {
    const [id] = await store('U2', named('both'));
    await Promise.all([1, 8, 32].map((flag) => update('U2', id, { set_flags: flag })));
    expect(await flagsOf('U2')).toEqual([[41, 0]]);
  });

  it('MF-05 MF-06 MF-07 move and copy with flags and colour', async () => {
    const [id] = await store('V1', [{ subject: 'moved', flags: ['$cl_3', '\\Answered'] }]);
    await at.imap.mailboxCreate('V2');
    const moved = (await update('V1', id, { folder_id: 'default0/V2' })).data;
    expect(moved).toEqual({ folder_id: 'default0/V2', id: '1' });
    expect([await subjects('V1'), await flagsOf('V2')]).toEqual([[], [[1, 3]]]);
    expect((await update('V2', '1', { folder_id: 'default0/V2' })).data).toEqual({ folder_id: 'default0/V2', id: '1' });
    expect(await subjects('V2')).toEqual(['moved']);
    expect((await update('V2', '1', { folder_id: 'default0/none' })).code).toBe('IMAP-1002');
    const copy = (folder_id: string, copied = '1') =>
      at.cast.U1.put('mail', 'copy', { folder: 'default0/V2', id: copied }, { folder_id });
    expect((await copy('default0/V1')).data).toEqual({ folder_id: 'default0/V1', id: '2' });
    expect([await subjects('V2'), await flagsOf('V1')]).toEqual([['moved'], [[1, 3]]]);
    expect((await copy('default0/none')).code).toBe('IMAP-1002');
    expect((await copy('default0/V1', '99')).code).toBe('MSG-0032');
  });

  it('MF-07 move into another account as far as that takes them, and tell how many it took', async () => {
    let taken = 0;
    const account = await addChangedAccount('choosy', {
      rewrite: (text) => text.replaceAll('LITERAL+', 'XLITERAL'),
      answer: (command) => {
        if (!command.startsWith('APPEND')) return undefined;
        taken += 1;
        return taken > 2 ? 'NO [OVERQUOTA] Quota exceeded' : undefined;
      },
    });
    await store('V3', [{ subject: 'one', flags: ['$cl_3', '\\Answered'] }, ...named('two', 'three', 'four')]);
    await at.imap.mailboxCreate('V4');
    const moveAll = () => update('V3', undefined, { folder_id: `default${account}/V4` });
    expect(await moveAll()).toMatchObject({ code: 'MSG-9002', error_params: ['2', '4', 'default0/V3'] });
    expect([await subjects('V3'), await subjects('V4')]).toEqual([
      ['three', 'four'],
      ['one', 'two'],
    ]);
    expect((await flagsOf('V4'))[0]).toEqual([1, 3]);
    expect((await moveAll()).code).toBe('MSG-1024');
    taken = 0;
    expect((await moveAll()).data).toEqual({ folder_id: `default${account}/V4` });
    expect([await subjects('V3'), await subjects('V4')]).toEqual([[], ['one', 'two', 'three', 'four']]);
  });

  it('MF-14 take spam out of the inbox and back', async () => {
    const [id] = await store('INBOX', named('spam'));
    const spam = (await update('INBOX', id, { flags: 128, value: true })).data;
    expect(spam.folder_id).toBe('default0/Junk');
    const back = await at.cast.U1.put(
      'mail',
      'update',
      { folder: spam.folder_id, id: spam.id },
      { flags: 128, value: false },
    );
    expect(back.data.folder_id).toBe('default0/INBOX');
    expect(await subjects('INBOX')).toContain('spam');
    // Mails that are no spam stay where they are.
    const [kept] = await store('U4', named('ham'));
    expect((await update('U4', kept, { clear_flags: 128 })).data).toEqual({ folder_id: 'default0/U4', id: kept });
    expect((await update('U4', kept, { flags: 160, value: false })).data.folder_id).toBe('default0/U4');
    expect(await subjects('U4')).toEqual(['ham']);
  });

  it('MF-18 MF-20 delete into the trash, and from it for good', async () => {
    const remove = (body: object[], parameters: Record<string, boolean> = {}) =>
      at.cast.U1.put('mail', 'delete', parameters, body);
    const [one, two] = await store('D1', named('one', 'two', 'three'));
    await at.imap.mailboxDelete('Trash');
    const affected = await remove([{ id: one, folder: 'default0/D1' }], { returnAffectedFolders: true });
    expect(affected.data).toEqual({
      conflicts: [],
      folders: { 'default0/D1': { total: 2, unread: 2 }, 'default0/Trash': { total: 1, unread: 1 } },
    });
    expect((await remove([{ id: two, folder: 'default0/D1' }], { harddelete: true })).data).toEqual([]);
    expect([await subjects('D1'), await subjects('Trash')]).toEqual([['three'], ['one']]);
    const [[id]] = (await all('Trash', '600')) as [[string]];
    expect(
      (
        await remove([
          { id, folder: 'default0/Trash' },
          { id: '99', folder: 'default0/Trash' },
        ])
      ).data,
    ).toEqual([]);
    expect(await subjects('Trash')).toEqual([]);

    await store('Trash.old', named('older'));
    await store('Trash', named('old'));
    expect((await at.cast.U1.put('mail', 'clear', {}, ['default0/D1', 'default0/none'])).data).toEqual([
      'default0/none',
    ]);
    expect((await subjects('Trash')).sort()).toEqual(['old', 'three']);
    expect((await at.cast.U1.put('mail', 'clear', {}, ['default0/Trash'])).data).toEqual([]);
    expect(await subjects('Trash')).toEqual([]);
    expect((await at.imap.list()).map(({ path }) => path)).not.toContain('Trash.old');
  });

  it('MF-12 leave mails where they are while the mailbox is too full for the trash, but for those that shall be gone', async () => {
    const account = await addChangedAccount('full', {
      answer: (command) => (/^UID (MOVE|COPY)/i.test(command) ? 'NO [OVERQUOTA] Quota exceeded' : undefined),
    });
    const [id] = await store('D2', named('kept'));
    const remove = (parameters: object = {}) =>
      at.cast.U1.put('mail', 'delete', { ...parameters }, [{ id, folder: `default${account}/D2` }]);
    expect((await remove()).code).toBe('MSG-0039');
    expect(await subjects('D2')).toEqual(['kept']);
    expect((await remove({ harddelete: true })).data).toEqual([]);
    expect(await subjects('D2')).toEqual([]);
  });

  it('MF-16 tell that a server takes no colours', async () => {
    const account = await addChangedAccount('plain', {
      answer: (command) => (/^UID STORE .*\$cl_/i.test(command) ? 'NO [CANNOT] Keywords are not permitted' : undefined),
      rewrite: (text) => text.replace(/(PERMANENTFLAGS \([^)]*) \\\*\)/, '$1)'),
    });
    const [id] = await store('D3', named('plain'));
    const folder = `default${account}/D3`;
    const change = (body: object) => at.cast.U1.put('mail', 'update', { folder, id }, body);
    expect((await change({ color_label: 3 })).code).toBe('MSG-1025');
    expect((await change({ set_flags: 8 })).error).toBeUndefined();
    expect(await flagsOf('D3')).toEqual([[8, 0]]);
  });

  it('expunge what is marked as deleted', async () => {
    await store('E1', [{ subject: 'marked', flags: ['\\Deleted'] }, { subject: 'kept' }]);
    expect(await subjects('E1', { deleted: false })).toEqual(['kept']);
    expect((await at.cast.U1.put('mail', 'expunge', {}, ['default0/E1', 'default0/none'])).data).toEqual([
      'default0/none',
    ]);
    expect(await subjects('E1')).toEqual(['kept']);
  });

  it('archive by year', async () => {
    const [id] = await store('A1', [
      { subject: 'then', received: '2019-05-01T00:00:00Z' },
      { subject: 'later', received: '2020-05-01T00:00:00Z' },
      { subject: 'now', received: new Date().toISOString() },
    ]);
    const archived = await at.cast.U1.put('mail', 'archive', {}, [{ id, folder: 'default0/A1' }]);
    expect(archived.data).toEqual([{ folder_id: 'default0/Archive.2019', id: '1' }]);
    const again = await at.cast.U1.put('mail', 'archive', {}, [{ id, folder: 'default0/A1' }]);
    expect(again).toMatchObject({ data: [], code: 'MSG-0032' });
    const rest = await at.cast.U1.put('mail', 'archive_folder', { folder: 'default0/A1', days: 30 }, undefined);
    expect(rest.data).toEqual([{ folder_id: 'default0/Archive.2020', id: '1' }]);
    expect([await subjects('A1'), await subjects('Archive.2020')]).toEqual([['now'], ['later']]);
  });

  it('MA-28 MA-33 MF-17 are listed and deleted by thousands, in blocks', async () => {
    const count = Number(process.env.E2E_LARGE_FOLDER ?? 1_200);
    // They were received in another order than they were stored in.
    const minutes = Array.from({ length: count }, (_each, index) => (index * 7_919) % count);
    const mails = minutes.map((minute) => ({
      subject: String(minute),
      received: new Date(minute * 60_000).toISOString(),
    }));
    const ids = await store('M1', mails);
    const newest = Array.from({ length: 50 }, (_each, index) => count - 1 - index);
    for (let turn = 0; turn < 2; turn++) {
      const window = { sort: 610, order: 'desc', left_hand_limit: 0, right_hand_limit: 50 };
      const page = await all('M1', '600,602,603,607,610,611', window);
      expect(page.map(([id, , , subject, received]) => [id, subject, received])).toEqual(
        newest.map((minute) => [ids[minutes.indexOf(minute)], String(minute), minute * 60_000]),
      );
    }
    const references = ids.map((id) => ({ id, folder: 'default0/M1' }));
    const { data } = await at.cast.U1.put('mail', 'list', { columns: '600' }, references);
    expect(data).toEqual(ids.map((id) => [id]));
    await at.cast.U1.put('mail', 'delete', { harddelete: true }, references);
    expect(await subjects('M1')).toEqual([]);
  }, 60_000);
});

describe('searches', () => {
  beforeAll(async () => {
    await store('S1', [
      {
        subject: 'red apple',
        from: 'Ann <ann@xn--mller-kva.example>',
        text: 'sweet',
        headers: ['X-Kind: fruit', 'Date: Fri, 1 Mar 2024 10:00:00 +0100'],
        received: '2024-03-01T12:00:00Z',
      },
      {
        subject: 'green pear',
        from: 'Bob <bob@x.example>',
        text: 'sour',
        flags: ['\\Seen', '$cl_4'],
        received: '2024-03-05T12:00:00Z',
      },
      {
        subject: '=?utf-8?q?K=C3=BCrbis?=',
        from: 'Ann <ann@x.example>',
        text: 'x'.repeat(5000),
        received: '2024-03-09T12:00:00Z',
      },
    ]);
  });

  it('MS-02 combine terms, operands in any order', async () => {
    const subject = (word: string) => ['=', { field: 'subject' }, word];
    expect(await search('S1', subject('apple'))).toEqual(['red apple']);
    expect(await search('S1', ['=', 'APPLE', { field: 'subject' }])).toEqual(['red apple']);
    expect(await search('S1', ['or', subject('apple'), subject('pear')])).toEqual(['green pear', 'red apple']);
    const nested = [
      'and',
      ['=', { field: 'from' }, 'ann'],
      ['not', ['or', subject('apple'), ['and', subject('x'), subject('y')]]],
    ];
    expect(await search('S1', nested)).toEqual(['K\u00fcrbis']);
    expect(await search('S1', ['and'])).toHaveLength(3);
  });

  it('know fields, headers, flags, sizes and dates', async () => {
    const one = async (operator: string, field: string, constant: unknown) =>
      search('S1', [operator, { field }, constant]);
    expect(await one('=', 'subject', 'k\u00fcrbis')).toEqual(['K\u00fcrbis']);
    expect(await one('=', 'content', 'sour')).toEqual(['green pear']);
    expect(await one('=', 'subject', '*')).toHaveLength(3);
    expect(await one('=', 'unknown', 'x')).toHaveLength(3);
    expect(await search('S1', ['=', { header: 'X-Kind' }, 'fruit'])).toEqual(['red apple']);
    expect(await search('S1', ['=', { header: 'X-Kind: ' }, 'fruit'])).toEqual([]);
    expect(await one('=', 'flags', 32)).toEqual(['green pear']);
    expect(await search('S1', ['not', ['=', { field: 'flags' }, '32']])).toHaveLength(2);
    expect(await one('=', 'color_label', 4)).toEqual(['green pear']);
    expect(await one('=', 'color_label', 0)).toHaveLength(2);
    expect(await one('>', 'size', 4000)).toEqual(['K\u00fcrbis']);
    expect(await one('<=', 'size', 4000)).toHaveLength(2);
    expect(await one('<>', 'size', 4000)).toHaveLength(3);
    expect(await one('=', 'received_date', Date.UTC(2024, 2, 5))).toEqual(['green pear']);
    expect(await one('>', 'received_date', Date.UTC(2024, 2, 7))).toEqual(['K\u00fcrbis']);
    expect(await one('<', 'received_date', Date.UTC(2024, 2, 3))).toEqual(['red apple']);
    expect(await one('=', 'priority', 'high')).toEqual([]);
    expect(await one('=', 'seen', true)).toEqual(['green pear']);
    expect(await one('=', 'seen', 'false')).toHaveLength(2);
    expect(await one('=', 'from', 'm\u00fcller.example')).toEqual(['red apple']);
    expect(await one('=', 'from', 'ann@m\u00fcller.example')).toEqual(['red apple']);
  });

  it('compare dates to the second, also within other terms', async () => {
    const noon = Date.UTC(2024, 2, 5, 12);
    const dated = async (operator: string, field: string, ms: number) => search('S1', [operator, { field }, ms]);
    const found = (...subjects: string[]) => subjects;
    const [apple, pear, pumpkin] = ['red apple', 'green pear', 'K\u00fcrbis'] as const;
    expect(await dated('>', 'received_date', noon)).toEqual(found(pumpkin));
    expect(await dated('>=', 'received_date', noon)).toEqual(found(pear, pumpkin));
    expect(await dated('<', 'received_date', noon)).toEqual(found(apple));
    expect(await dated('<', 'received_date', noon + 1_000)).toEqual(found(pear, apple));
    expect(await dated('<=', 'received_date', noon - 1_000)).toEqual(found(apple));
    const not = ['not', ['<', { field: 'received_date' }, noon]];
    expect(await search('S1', not)).toEqual(found(pear, pumpkin));
    const either = ['or', ['>', { field: 'received_date' }, noon], ['=', { field: 'subject' }, 'pear']];
    expect(await search('S1', either)).toEqual(found(pear, pumpkin));
    const sent = Date.UTC(2024, 2, 1, 9);
    expect(await dated('>', 'sent_date', sent)).not.toContain(apple);
    expect(await dated('>=', 'sent_date', sent)).toContain(apple);
    // The others do not tell when they were sent.
    expect(await dated('<', 'sent_date', sent + 1_000)).toEqual(found(apple));
    expect(await dated('<=', 'sent_date', Date.UTC(2025, 0, 1))).toEqual(found(apple));
    expect(await search('S1', ['not', ['<', { field: 'sent_date' }, sent + 1_000]])).toEqual(found(pear, pumpkin));
  });

  it('find mails by the names of their files, wherever these are in them', async () => {
    const mixed = (...parts: string[]) => ({
      headers: ['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=b'],
      text: [...parts.flatMap((part) => ['--b', part]), '--b--'].join('\r\n'),
    });
    const file = (name: string) => `Content-Type: application/pdf\r\nContent-Disposition: attachment; ${name}\r\n\r\nx`;
    const inner = ['Content-Type: multipart/mixed; boundary=i', '', '--i', file('filename=deep.odt'), '--i--'];
    await store('S2', [
      { subject: 'plain', text: 'see report.pdf' },
      { subject: 'report', ...mixed('\r\nsee', file('filename="Report.PDF"')) },
      { subject: 'nested', ...mixed(inner.join('\r\n'), file("filename*=utf-8''%C3%9Cbersicht.ods")) },
    ]);
    const find = (operand: string, constant: unknown) => search('S2', ['=', { attachment: operand }, constant]);
    expect(await find('NAME', 'report.pdf')).toEqual(['report']);
    expect(await find('name', '*.pdf')).toEqual(['report']);
    expect(await find('filename', 'deep')).toEqual(['nested']);
    expect(await find('NAME', '\u00fcbersicht')).toEqual(['nested']);
    expect(await find('report.pdf', true)).toEqual(['report']);
    expect(await find('report.pdf', 'report.pdf')).toEqual(['report']);
    expect(await find('report.pdf', false)).toEqual(['nested', 'plain']);
    expect(await find('NAME', 'none')).toEqual([]);
    const named = ['=', { attachment: 'NAME' }, 'o'];
    expect(await search('S2', ['and', ['=', { field: 'subject' }, 'nested'], named])).toEqual(['nested']);
    expect(await search('S2', ['not', named])).toEqual(['plain']);
    const query = { folder: 'default0/S2', columns: '600,607' };
    const threads = await at.cast.U1.put('mail', 'thread_references', query, { filter: named });
    expect(threads.data.map(({ subject }: { subject: string }) => subject).sort()).toEqual(['nested', 'report']);
  });

  it('find patterns whose parts stand in this order, with any characters or one in between', async () => {
    await store('S3', [
      { subject: 'invoice 2024', from: 'Ann Lee <ann@x.example>', text: 'alpha, then omega' },
      { subject: '2024 invoice', text: 'omega, then alpha', headers: ['X-Kind: fruit of trees'] },
      {
        subject: 'encoded',
        headers: [
          ...['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=b', '', '--b'],
          ...['Content-Type: text/html; charset=iso-8859-1', 'Content-Transfer-Encoding: quoted-printable'],
        ],
        text: '<p>gr=FC=\r\nn alpha<br>omega</p>\r\n--b--',
      },
    ]);
    const find = (field: string, pattern: string) => search('S3', ['=', { field }, pattern]);
    expect(await find('subject', 'invoice*2023')).toEqual([]);
    expect(await find('subject', 'INVOICE*2024')).toEqual(['invoice 2024']);
    expect(await find('subject', '*2024?invoice*')).toEqual(['2024 invoice']);
    expect(await find('subject', 'invoice??2024')).toEqual([]);
    expect(await find('from', 'ann*lee*@x.ex?mple')).toEqual(['invoice 2024']);
    expect(await find('from', 'lee*ann ')).toEqual([]);
    expect(await find('content', 'alpha*omega')).toEqual(['encoded', 'invoice 2024']);
    expect(await find('content', 'gr\u00fcn*omega')).toEqual(['encoded']);
    expect(await find('content', 'alph*xyz')).toEqual([]);
    expect(await find('text', 'invoice*2024')).toEqual(['invoice 2024']);
    expect(await search('S3', ['=', { header: 'X-Kind' }, 'fruit*trees'])).toEqual(['2024 invoice']);
    expect(await search('S3', ['not', ['=', { field: 'subject' }, 'invoice*2024']])).toEqual([
      '2024 invoice',
      'encoded',
    ]);
    const query = { folder: 'default0/S3', columns: '607' };
    const ask = async (pattern: string) =>
      (await at.cast.U1.put('mail', 'search', query, [{ col: 607, pattern }])).data.flat();
    expect([await ask('invoice*2023'), await ask('invoice*2024')]).toEqual([[], ['invoice 2024']]);
  });

  it('find headers that name no charset for their bytes', async () => {
    await store('S4', [
      { subject: 'Gr\xfc\xdfe raw', from: 'J\xfcrgen <j@x.example>' },
      { subject: 'Gru\xdf', from: 'Eve <e@x.example>' },
      { subject: '=?utf-8?q?Gr=C3=BC=C3=9Fe?= encoded', from: 'Bob <b@x.example>' },
    ]);
    const find = (field: string, pattern: string) => search('S4', ['=', { field }, pattern]);
    const raw = 'Gr\u00fc\u00dfe raw';
    expect(await find('subject', 'gr\u00fc\u00dfe')).toEqual(['Gr\u00fc\u00dfe encoded', raw]);
    expect(await find('subject', '\u00dc')).toEqual(['Gr\u00fc\u00dfe encoded', raw]);
    expect(await find('subject', 'gr\u00fc*raw')).toEqual([raw]);
    expect(await find('from', 'j\u00fcrgen')).toEqual([raw]);
    expect(await find('from', 'j\u00e4rgen')).toEqual([]);
  });

  it('take patterns, and text that is no command', async () => {
    const query = { folder: 'default0/S1', columns: '607', sort: 607, order: 'asc' };
    const ask = (body: unknown) => at.cast.U1.put('mail', 'search', query, body);
    const patterns = [
      { col: 607, pattern: 'pear' },
      { col: 603, pattern: '*bob*' },
    ];
    expect((await ask(patterns)).data).toEqual([['green pear']]);
    expect((await ask([])).data).toEqual([]);
    for (const hostile of ['x"\r\nA LOGOUT\r\n', '\u0000"){5}', 'a\\"b', '%*'])
      expect((await ask({ filter: ['=', { field: 'subject' }, hostile] })).data).toEqual([]);
    for (const wrong of [
      {},
      { filter: 'x' },
      { filter: ['=', 1, 2] },
      { filter: ['~', { field: 'to' }, 'x'] },
      { filter: ['not'] },
    ])
      expect((await ask(wrong)).code).toBe('MSG-0003');
    const { session } = at.cast.U1;
    const parameters = { action: 'search', session, folder: 'default0/S1', columns: '607' };
    const broken = await at.cast.U1.fetch('PUT', '/mail', parameters, { body: '{"filter":' });
    expect(await broken.json()).toMatchObject({ code: 'MSG-0003' });
    let deep: unknown = ['=', { field: 'to' }, 'x'];
    for (let depth = 0; depth < 52; depth += 1) deep = ['not', deep];
    expect((await ask({ filter: deep })).code).toBe('MSG-0003');
    const long = 'x'.repeat(20_001);
    expect((await ask({ filter: ['=', { field: 'subject' }, long] })).code).toBe('MSG-0003');
    expect((await ask([{ col: 607, pattern: long }])).code).toBe('MSG-0003');
    expect((await ask({ filter: ['=', { field: 'subject' }, '\u20ac'.repeat(6_000)] })).data).toEqual([]);
  });

  it('MS-17 need some characters', async () => {
    const key = 'com.example.minimumSearchCharacters';
    const path = `/admin/v1/contexts/${at.cast.contextId}/users/${at.cast.U1.userId}/config/${key}`;
    await at.cast.admin.expect('PUT', path, { value: '3' });
    const query = { folder: 'default0/S1', columns: '607' };
    const { code } = await at.cast.U1.put('mail', 'search', query, { filter: ['=', { field: 'subject' }, 'ab'] });
    expect(code).toBe('MSG-0068');
    await at.cast.admin.expect('PUT', path, { value: '0' });
  });
});

describe('conversations', () => {
  const conversations = async (folder: string, parameters: object = {}): Promise<any[]> => {
    const query = { folder: `default0/${folder}`, columns: '600,601,607', sort: 610, order: 'desc', ...parameters };
    return (await at.cast.U1.get('mail', 'threadedAll', query)).data;
  };
  const mails: StoredMail[] = [
    { subject: 'plan', headers: ['Message-ID: <r@x>'], flags: ['\\Seen'] },
    { subject: 'Re: plan', headers: ['Message-ID: <a@x>', 'References: <r@x>'] },
    { subject: 'plan', headers: ['Message-ID: <other@x>'] },
    { subject: 'Re: plan', headers: ['Message-ID: <b@x>', 'References: <r@x> <a@x>'] },
  ];

  it('MS-10 hold a mail with its answers, newest first', async () => {
    const ids = await store('T1', mails);
    const found = await conversations('T1');
    expect(found.map(({ thread }) => thread.map(({ id }: { id: string }) => id))).toEqual([
      [ids[3], ids[1], ids[0]],
      [ids[2]],
    ]);
    expect(found[0]).toMatchObject({ id: ids[3], folder_id: 'default0/T1', subject: 'Re: plan', unreadCount: 2 });
    const named = await conversations('T1', { writeThreadAsObjects: false });
    expect(named.map(({ id, thread }) => [id, thread])).toEqual([
      [ids[3], [ids[3], ids[1], ids[0]]],
      [ids[2], [ids[2]]],
    ]);
    expect(await conversations('T1', { limit: '1,2' })).toHaveLength(1);
    expect(await conversations('T1', { max: 1 })).toHaveLength(1);
    expect(await all('T1', '600,612', { sort: 'thread', order: 'asc' })).toEqual([
      ...[
        [ids[0], 0],
        [ids[1], 1],
        [ids[3], 2],
        [ids[2], 0],
      ],
    ]);
    await update('T1', ids[2], { set_flags: 32 });
    expect(await conversations('T1', { unseen: true })).toHaveLength(1);
  });

  it('are the same with own answers and without, of copies also', async () => {
    const copied = ['Message-ID: <copied@x>'];
    const ids = await store('T4', [
      ...[copied, copied, ['Message-ID: <ac@x>', 'References: <copied@x>']].map((headers) => ({ headers })),
      { headers: ['Message-ID: <both@x>', 'References: <unseen@x>', 'In-Reply-To: <copied@x>'] },
    ]);
    await store('Sent', [{ subject: 'mine', headers: ['Message-ID: <mine@x>', 'References: <unseen@x>'] }]);
    const list = async (includeSent: boolean) =>
      (await conversations('T4', { includeSent })).map(({ thread }) =>
        thread.flatMap(({ id, subject }: { id: string; subject?: string }) => (subject === 'mine' ? [] : [id])),
      );
    const grouped = [[ids[3]], [ids[2], ids[0]], [ids[1]]];
    expect([await list(false), await list(true)]).toEqual([grouped, grouped]);
    const [first] = await conversations('T4', { includeSent: true });
    expect(first.thread.map(({ folder_id: folder }: { folder_id: string }) => folder).sort()).toEqual([
      ...['default0/Sent', 'default0/T4'],
    ]);
  });

  it('MS-11 MS-13 hold own answers once, and survive loops', async () => {
    await store('T2', [
      { subject: 'question', headers: ['Message-ID: <q@x>', 'References: <q@x> <gone@x>'] },
      { subject: 'one', headers: ['Message-ID: <l1@x>', 'References: <l2@x>'] },
      { subject: 'two', headers: ['Message-ID: <l2@x>', 'References: <l1@x>'] },
      { subject: 'self', headers: ['Message-ID: <self@x>'] },
    ]);
    await store('Sent', [
      {
        subject: 'Re: question',
        headers: ['Message-ID: <own@x>', 'In-Reply-To: <q@x>'],
        received: '2024-07-01T00:00:00Z',
      },
      { subject: 'self', headers: ['Message-ID: <self@x>'] },
      { subject: 'to nobody here', headers: ['Message-ID: <else@x>'] },
    ]);
    const found = await conversations('T2', { includeSent: true });
    const threads = found.map(({ thread }) => thread.map((each: any) => `${each.folder_id} ${each.subject}`).sort());
    expect(threads).toContainEqual(['default0/Sent Re: question', 'default0/T2 question']);
    expect(threads).toContainEqual(['default0/T2 self']);
    expect(threads.flat()).toHaveLength(5);
  });
});

describe('threads', () => {
  const threads = (parameters: object = {}, body?: object, method = 'PUT') => {
    const query = { folder: 'default0/T3', columns: '600,607', ...parameters };
    return method === 'GET'
      ? at.cast.U1.get('mail', 'thread_references', query)
      : at.cast.U1.put('mail', 'thread_references', query, body);
  };

  it('are told with the fields of their roots, and the ids of their newest mails', async () => {
    const ids = await store('T3', [
      { subject: 'plan', headers: ['Message-ID: <t3r@x>'], flags: ['\\Seen'] },
      { subject: 'Re: plan', headers: ['Message-ID: <t3a@x>', 'References: <t3r@x>'] },
      { subject: 'alone', headers: ['Message-ID: <t3o@x>'] },
    ]);
    const { data, error } = await threads({ sort: 610, order: 'desc' }, undefined, 'GET');
    const folder = 'default0/T3';
    expect([error, data]).toEqual([
      undefined,
      [
        expect.objectContaining({ id: ids[2], subject: 'alone', rootMailId: ids[2], latestMailId: ids[2] }),
        {
          ...{ id: ids[0], subject: 'plan', rootMailId: ids[0], rootOriginalMailId: ids[0] },
          ...{ rootOriginalFolderId: folder, latestMailId: ids[1], latestOriginalMailId: ids[1] },
          ...{ latestOriginalFolderId: folder, latestReceivedDate: Date.UTC(2024, 0, 1, 0, 0, 1) },
          thread: [
            { id: ids[1], subject: 'Re: plan' },
            { id: ids[0], subject: 'plan' },
          ],
        },
      ],
    ]);
    const roots = async (parameters: object, body?: object) =>
      (await threads(parameters, body)).data.map(({ rootMailId }: { rootMailId: string }) => rootMailId);
    expect(await roots({})).toEqual([ids[0], ids[2]]);
    expect(await roots({ size: 2 })).toEqual([ids[0]]);
    const alone = { filter: ['=', { field: 'subject' }, 'alone'] };
    expect(await roots({ sort: 607, order: 'asc' }, alone)).toEqual([ids[2]]);
    // Bodies of GET come by batches, too.
    const batch = { module: 'mail', action: 'thread_references', folder, columns: '600', data: alone };
    const [answer] = (await at.cast.U1.put('multiple', '', {}, [batch])) as any;
    expect(answer.data).toMatchObject([{ rootMailId: ids[2] }]);
    expect((await threads({}, { filter: 'x' })).code).toBe('MSG-0003');
    expect((await threads({ sort: 607 })).code).toBe('MSG-0030');
    expect((await threads({ columns: '' })).code).toBe('SVL-0002');
  });
});

describe('folders of mailboxes', () => {
  const columns = '1,20,300,305,309,311,304,314,316';
  const list = async (parent: string): Promise<any[][]> =>
    (await at.cast.U1.get('folders', 'list', { parent, tree: 0, all: 1, columns })).data;
  const create = (folder_id: string, title: string) =>
    at.cast.U1.put('folders', 'new', { folder_id, tree: 1, autorename: false }, { title, module: 'mail' });

  it('are named in the primary account as the server has them, unless the user chose others', async () => {
    const { U1, U2 } = at.cast;
    const read = async (user: TestUser) => (await user.get<any>('account', 'get', { id: 0 })).data;
    expect(await read(U1)).toMatchObject({
      ...{ spam: 'Junk', spam_fullname: 'default0/Junk', sent: 'Sent', sent_fullname: 'default0/Sent' },
      ...{ trash_fullname: 'default0/Trash', drafts_fullname: 'default0/Drafts', archive_fullname: 'default0/Archive' },
    });
    const columns = '1001,1012,1029';
    const row = [0, 'Junk', 'default0/Junk'];
    expect((await U1.get<any>('account', 'all', { columns })).data[0]).toEqual(row);
    const accounts: any[][] = (await U1.get<any>('login', 'rampup')).data.accounts;
    expect(accounts.flat()).toContain('default0/Junk');
    const changed = (await U1.put<any>('account', 'update', {}, { id: 0, archive: 'Old' })).data;
    expect(changed).toMatchObject({ archive: 'Old', ...{ spam: 'Junk', spam_fullname: 'default0/Junk' } });
    expect(await read(U1)).toMatchObject({ archive: 'Old', archive_fullname: 'default0/Old', spam: 'Junk' });
    await U1.put('account', 'update', {}, { id: 0, archive: null });
    const configured = { spam: 'Spam', spam_fullname: 'default0/Spam' };
    expect(await read(U2)).toMatchObject(configured);
    const away = await createTestUser(at.world, at.cast.admin, at.cast.contextId, 'roleless');
    await provisionMailbox(at, away, { login: 'ann', host: 'nowhere.test', port: 1993 });
    const answer = await away.get('account', 'get', { id: 0 });
    expect(answer).toEqual({ data: expect.objectContaining(configured) });
  });

  it('are named in the settings of clients', async () => {
    const { U1 } = at.cast;
    const { data } = await U1.put<any>('jslob', 'list', {}, ['io.ox/mail']);
    const ids = { inbox: 'INBOX', drafts: 'Drafts', sent: 'Sent', spam: 'Junk', trash: 'Trash' };
    const folders = Object.fromEntries(Object.entries(ids).map(([role, name]) => [role, `default0/${name}`]));
    expect(data[0].tree).toMatchObject({
      defaultFolder: { ...folders, archive: 'default0/Archive' },
      namespace: '',
      defaultseparator: '.',
      separators: { 0: '.' },
    });
    const read = async (path: string) =>
      ((await (await U1.fetch('GET', `/config/${path}`, { session: U1.session })).json()) as { data: unknown }).data;
    expect(await read('mail/folder')).toEqual(folders);
    // The server of the mailbox is that of the user alone, and clients offer mail to him only.
    const announced = async (user: TestUser) =>
      ((await user.get<{ id: string }[]>('capabilities', 'all')).data ?? []).map(({ id }) => id).includes('webmail');
    expect([await announced(U1), await announced(at.cast.U2)]).toEqual([true, false]);
    expect(await read('modules/mail/module')).toBe(true);
    expect(await read('modules/mail/defaultFolder/trash')).toBe('default0/Trash');
    expect(await read('mail/emoticons')).toBe(true);
    const refused = await U1.fetch('PUT', '/config/mail/folder/trash', { session: U1.session }, { body: '"x"' });
    expect(await refused.json()).toMatchObject({ code: 'USS-0003' });
  });

  it('stand below the root of their account, with roles and numbers', async () => {
    const roots = (await list('1')).filter(([id]) => String(id).startsWith('default'));
    expect(roots[0]!.slice(0, 3)).toEqual(['default0', '1', 'E-Mail']);
    await store('L1', [{ subject: 'a' }, { subject: 'b', flags: ['\\Seen'] }]);
    const folders = new Map((await list('default0')).map((row) => [row[0], row]));
    expect(folders.get('default0/L1')).toEqual([
      ...['default0/L1', 'default0', 'L1', 403_710_016, 2, 1],
      ...[false, expect.any(Boolean), 0],
    ]);
    const typeOf = (name: string) => folders.get(`default0/${name}`)?.[8];
    expect(['INBOX', 'Drafts', 'Sent', 'Junk', 'Trash'].map(typeOf)).toEqual([7, 9, 10, 11, 12]);
    const inbox = (await at.cast.U1.get('folders', 'get', { id: 'default0/INBOX', tree: 0 })).data;
    expect(inbox.permissions[0]).toMatchObject({ bits: 403710016, rights: 'lrswipcdtea' });
    expect(inbox).toMatchObject({ id: 'default0/INBOX', folder_id: 'default0', module: 'mail', standard_folder: true });
    const path = await at.cast.U1.get('folders', 'path', { id: 'default0/L1', tree: 0, columns: '1' });
    expect(path.data).toEqual([['default0/L1'], ['default0'], ['1']]);
    // The flat tree leaves out the root of the primary account.
    const flat = { columns: '1,20', tree: 1 };
    const top = await at.cast.U1.get<any[][]>('folders', 'list', { parent: '1', ...flat });
    expect(top.data).toEqual(
      expect.arrayContaining([
        ['default0/INBOX', '1'],
        ['default0/L1', '1'],
      ]),
    );
    expect(top.data!.map(([id]) => id)).not.toContain('default0');
    expect((await at.cast.U1.get('folders', 'path', { id: 'default0/L1', ...flat })).data).toEqual([
      ['default0/L1', '1'],
      ['1', '0'],
    ]);
    const within = await at.cast.U1.get<any[][]>('folders', 'list', { parent: 'default0', ...flat });
    expect(within.data).toContainEqual(['default0/L1', '1']);
    const visible = await at.cast.U1.get('folders', 'allVisible', { content_type: 'mail', columns: '1', tree: 0 });
    expect(visible.data.private).toContainEqual(['default0/L1']);
    expect((await at.cast.U1.get('folders', 'get', { id: 'default0/none', tree: 1 })).code).toBe('FLD-0008');
    expect((await at.cast.U1.get('folders', 'get', { id: 'default9/INBOX', tree: 1 })).code).toBe('FLD-0008');
    expect((await at.cast.U2.get('folders', 'get', { id: 'default0/L1', tree: 1 })).code).toBe('FLD-0008');
  });

  it('keep their subscriptions where they go, with those below them', async () => {
    const change = (folder: string, body: object) =>
      at.cast.U1.put('folders', 'update', { id: folder, tree: 0, timestamp: 9e12 }, body);
    const children = async (parent: string, all = 0) =>
      (await at.cast.U1.get<any[][]>('folders', 'list', { parent, tree: 0, all, columns: '1,314' })).data;
    await create('default0', 'Herd');
    await create('default0/Herd', 'Lamb');
    const { data: hidden } = await create('default0/Herd', 'Wolf');
    expect((await change(hidden, { subscribed: false })).code).toBeUndefined();
    await change('default0/Herd', { title: 'Flock' });
    const lamb = (parent: string) => [`${parent}.Lamb`, true];
    const both = (parent: string) => [lamb(parent), [`${parent}.Wolf`, false]];
    expect(await children('default0/Flock')).toEqual([lamb('default0/Flock')]);
    expect(await children('default0/Flock', 1)).toEqual(both('default0/Flock'));
    await at.cast.U1.put('folders', 'delete', { tree: 0, timestamp: 9e12 }, ['default0/Flock']);
    expect(await children('default0/Trash')).toContainEqual(['default0/Trash.Flock', true]);
    expect(await children('default0/Trash.Flock')).toEqual([lamb('default0/Trash.Flock')]);
    const subscribed = (await at.imap.list()).flatMap(({ path, subscribed }) => (subscribed ? [path] : []));
    expect(subscribed.filter((path) => /^(Herd|Flock)/.test(path))).toEqual([]);
    await at.cast.U1.put('folders', 'delete', { tree: 0, timestamp: 9e12 }, ['default0/Trash.Flock']);
  });

  it('are made, renamed, moved, emptied and deleted', async () => {
    const { data: id } = await create('default0', 'Reise & Co');
    expect(id).toBe('default0/Reise & Co');
    const { data: inner } = await create(id, 'innen');
    expect(inner).toBe('default0/Reise & Co.innen');
    expect((await create('default0', 'reise & co')).code).toBe('FLD-0012');
    for (const name of ['a'.repeat(250), '\u00e4'.repeat(95)])
      expect(await create(id, name)).toMatchObject({ code: 'FLD-0064', error_params: expect.any(Array) });
    for (const name of ['a.b', 'a/b', 'a*b', 'a\tb']) expect((await create('default0', name)).code).toBe('FLD-0092');
    expect((await create('1', 'top')).code).toBe('FLD-0014');
    for (const module of ['calendar', 'contacts', 'tasks', 'infostore'])
      expect((await at.cast.U1.put('folders', 'new', { folder_id: id }, { title: 'x', module })).code).toBe('FLD-0014');
    const change = (folder: string, body: object) =>
      at.cast.U1.put('folders', 'update', { id: folder, tree: 1, timestamp: 9e12 }, body);
    const { data: renamed } = await change(id, { title: 'Reise' });
    expect(renamed).toBe('default0/Reise');
    expect((await change('default0/Reise', { title: 'REISE' })).data).toBe('default0/REISE');
    expect((await change('default0/REISE', { title: 'Reise' })).data).toBe('default0/Reise');
    expect((await change('default0/Reise', { title: 'r'.repeat(255) })).data).toBeUndefined();
    const { data: moved } = await change('default0/Reise.innen', { folder_id: 'default0' });
    expect(moved).toBe('default0/innen');
    expect((await change('default0/INBOX', { title: 'other' })).code).toBe('FLD-0011');
    // The server keeps no rights of others.
    const { userId } = at.cast.U1;
    const own = { entity: userId, group: false, bits: 403_710_016 };
    const everybody = { entity: 0, group: true, bits: 257 };
    expect((await change('default0/Reise', { permissions: [own] })).code).toBeUndefined();
    expect((await change('default0/Reise', { permissions: [own, everybody] })).code).toBe('FLD-0010');
    await store('innen', named('x'));
    expect((await at.cast.U1.put('folders', 'clear', { tree: 1 }, ['default0/innen'])).data).toEqual([]);
    expect(await subjects('innen')).toEqual([]);
    const remove = (folder: string) =>
      at.cast.U1.put('folders', 'delete', { tree: 1, timestamp: 9e12, extendedResponse: true }, [folder]);
    await store('Trash.innen', named('y'));
    const [thrown] = (await remove('default0/innen')).data;
    expect(thrown).toMatchObject({
      path: '/Private folders/innen',
      new_path: '/Private folders/Trash/innen (1)',
      trashed: true,
    });
    expect((await at.imap.list()).map(({ path }) => path)).toContain('Trash.innen (1)');
    expect((await remove('default0/Trash.innen')).data).toMatchObject([{ hasFailed: false, trashed: false }]);
    expect((await remove('default0/INBOX')).data).toMatchObject([{ hasFailed: true }]);
    const left = (await at.imap.list()).map(({ path }) => path);
    expect([left.includes('Trash.innen'), left.includes('INBOX'), left.includes('Reise')]).toEqual([false, true, true]);
  });
});

describe('mailboxes', () => {
  const inFolder = operations.filter(({ module, service }) => service === 'mail' && module === 'mail');
  const bodies: Readonly<Record<string, ((folder: string) => object) | undefined>> = {
    list: (folder: string) => [{ id: '1', folder }],
    delete: (folder: string) => [{ id: '1', folder }],
    archive: (folder: string) => [{ id: '1', folder }],
    search: () => ({ filter: ['and'] }),
    attachment: () => ({}),
    update: () => ({ flags: 1 }),
    copy: () => ({ folder_id: 'default0/INBOX' }),
    receipt_ack: (folder: string) => ({ id: '1', folder }),
  };
  /** They answer which folders it failed for, take mails that are in no folder yet, or no folder at all. */
  const ELSEWHERE = new Set([
    ...['clear', 'expunge', 'forwardSeveral', 'new', 'newSource', 'autosave', 'import', 'resolve_share_reference'],
  ]);
  /** Asks an operation about a folder; code of the error. */
  const codeOf = async (user: MailFixtures['cast']['U1'], name: string, http: string, folder: string) => {
    const query = {
      ...{ folder, columns: '600', id: '1', attachment: '1', dest_folder: '1' },
      hdr: name === 'get' ? '1' : undefined,
    };
    const body = bodies[name];
    const answer =
      http === 'GET' ? await user.get('mail', name, query) : await user.put('mail', name, query, body?.(folder));
    return answer.code;
  };

  it('stand in the start data of who has a mailbox; one that is away takes nothing else with it', async () => {
    const unreachable = await createTestUser(at.world, at.cast.admin, at.cast.contextId, 'unreachable');
    await provisionMailbox(at, unreachable, { login: 'ann', host: 'nowhere.test', port: 1993 });
    const ask = async (user: TestUser) => (await user.get('login', 'rampup')).data;
    const read = async (id: string) => (await at.cast.U1.get('folders', 'get', { id, tree: 1, altNames: true })).data;
    // The first connection to a mailbox takes its time.
    let own: Record<string, any> = {};
    await until(async () => {
      own = await ask(at.cast.U1);
      return own.errors === undefined;
    }, 30_000);
    expect(own.folder).toEqual({ '1': await read('1'), 'default0/INBOX': await read('default0/INBOX') });
    expect(own.folder['default0/INBOX']).toMatchObject({ id: 'default0/INBOX', module: 'mail' });
    const without = await ask(at.cast.U2);
    expect(without).not.toHaveProperty('errors');
    expect(Object.keys(without.folder)).toEqual(['1']);
    const { folder, errors } = await ask(unreachable);
    expect(Object.keys(folder)).toEqual(['1']);
    expect(errors).toEqual({ folder: expect.objectContaining({ code: 'MSG-1016' }) });
  }, 60_000);

  it('are refused alike by every operation: unknown folders and accounts, wrong passwords, servers that are away', async () => {
    const refused = await createTestUser(at.world, at.cast.admin, at.cast.contextId, 'refused');
    await provisionMailbox(at, refused, { login: 'nobody' });
    const away = await createTestUser(at.world, at.cast.admin, at.cast.contextId, 'away');
    await provisionMailbox(at, away, { login: 'ann', host: 'nowhere.test', port: 1993 });
    const several = (folder: string, id = '1') => at.cast.U1.put('mail', 'forward', {}, [{ folder, id }]);
    expect((await several('default7/INBOX')).code).toBe('ACC-0002');
    expect((await several('default0')).code).toBe('MSG-0050');
    expect((await several('default0/INBOX', '99999')).code).toBe('MSG-0032');
    const draft = { subject: 'x', attachments: [{ content_type: 'text/plain', content: 'x' }] };
    expect((await away.put('mail', 'autosave', {}, draft)).code).toBe('MSG-1016');
    for (const { action, name: operation, http } of inFolder) {
      if (ELSEWHERE.has(operation)) continue;
      const name = action ?? operation;
      expect([name, await codeOf(at.cast.U1, name, http, 'default0/none')]).toEqual([name, 'IMAP-1002']);
      const tooLong = `default0/${'n'.repeat(3_000)}`;
      expect([name, await codeOf(at.cast.U1, name, http, tooLong)]).toEqual([name, 'IMAP-1002']);
      expect([name, await codeOf(at.cast.U1, name, http, 'default7/INBOX')]).toEqual([name, 'ACC-0002']);
      expect([name, await codeOf(refused, name, http, 'default0/INBOX')]).toEqual([name, 'MSG-1000']);
      expect([name, await codeOf(away, name, http, 'default0/INBOX')]).toEqual([name, 'MSG-1016']);
    }
  }, 120_000);

  it('ME-05 are those of the user alone', async () => {
    const { U2, U3, X1 } = at.cast;
    await provisionMailbox(at, U2, { login: 'bob' });
    await store('INBOX', named('for ann'));
    const ask = (user: typeof U2, folder: string) => user.get('mail', 'all', { folder, columns: '607' });
    expect((await ask(U2, 'default0/INBOX')).data).toEqual([]);
    for (const folder of ['default0/../ann/INBOX', 'default0/user/ann', 'default0/INBOX\r\nA LOGOUT', 'default0/%'])
      expect((await ask(U2, folder)).code).toBe('IMAP-1002');
    // Without a server there is no account.
    expect((await ask(U3, 'default0/INBOX')).code).toBe('ACC-0002');
    expect((await ask(X1, 'default0/INBOX')).code).toBe('ACC-0002');
  });

  it('ME-04 are told to be away at once while their server fails, and all else works', async () => {
    let attempts = 0;
    const port = await at.outside.peer((socket) => {
      attempts += 1;
      socket.destroy();
    });
    const folder = `default${await addAccount('failing', port)}/INBOX`;
    const ask = async () => (await at.cast.U1.get('mail', 'all', { folder, columns: '600' })).code;
    await until(async () => {
      const before = attempts;
      await ask();
      return attempts === before;
    });
    const [tried, since] = [attempts, performance.now()];
    expect([await ask(), await ask(), await ask()]).toEqual(['MSG-1016', 'MSG-1016', 'MSG-1016']);
    expect(performance.now() - since).toBeLessThan(2_000);
    expect(attempts).toBe(tried);
    expect(await subjects('F7')).toEqual(['set']);
    const tasks = await at.cast.U1.get('folders', 'allVisible', { content_type: 'tasks', columns: '1' });
    expect(tasks.data.private).not.toEqual([]);
  }, 30_000);

  it('ME-04 leave the root of an account whose server is down, and tell of its folders why they are missing', async () => {
    const { U1 } = at.cast;
    const answerOf = async (query: Record<string, string>) => {
      const answer = await U1.fetch('GET', '/folders', { tree: '0', session: U1.session, ...query });
      const { code, data } = (await answer.json()) as { code?: string; data?: any };
      return [answer.status, code ?? data.id];
    };
    const closed = await addAccount('closed', 1994);
    const refused = await addChangedAccount('refused', {
      answer: (command) => (/^(?:LOGIN|AUTHENTICATE)/i.test(command) ? 'NO [AUTHENTICATIONFAILED] no' : undefined),
    });
    const silent = await addAccount('silent', await at.outside.peer(() => undefined));
    for (const [account, code] of [
      [closed, 'MSG-1016'],
      [refused, 'MSG-1001'],
      [silent, 'MSG-1034'],
    ] as const) {
      const id = `default${account}`;
      expect([id, await answerOf({ action: 'get', id })]).toEqual([id, [200, id]]);
      const listed = await answerOf({ action: 'list', parent: id, columns: '1,300' });
      expect([id, listed]).toEqual([id, [200, code]]);
    }
    const { data } = await U1.get('folders', 'list', { tree: '0', parent: 'default0', columns: '300' });
    expect(data.flat()).toContain('Inbox');
  }, 60_000);

  it('tell why their server lets nobody in, or does nothing now, as it tells it', async () => {
    const { U1 } = at.cast;
    for (const [code, expected] of [
      ['EXPIRED', 'MSG-1039'],
      ['AUTHORIZATIONFAILED', 'MSG-1036'],
      ['UNAVAILABLE', 'MSG-1038'],
      ['INUSE', 'MSG-1031'],
      ['LIMIT', 'MSG-0112'],
      ['PRIVACYREQUIRED', 'MSG-1040'],
      ['AUTHENTICATIONFAILED', 'MSG-1001'],
    ] as const) {
      // One for each: a login that was refused is left alone for a while.
      const closed = await addChangedAccount(`closed-${code.toLowerCase()}`, {
        answer: (command) => (/^(?:LOGIN|AUTHENTICATE)/i.test(command) ? `NO [${code}] no` : undefined),
      });
      const answer = await U1.get('mail', 'all', { folder: `default${closed}/INBOX`, columns: '600' });
      expect([code, answer.code]).toEqual([code, expected]);
    }
    let refusal = '';
    const account = await addChangedAccount('moody', {
      answer: (command) => (/^UID STORE/i.test(command) ? `NO [${refusal}] no` : undefined),
    });
    const [id] = await store('W1', named('kept'));
    for (const [code, expected] of [
      ['INUSE', 'MSG-1031'],
      ['LIMIT', 'MSG-0112'],
      ['UNAVAILABLE', 'MSG-1038'],
      ['CANNOT', 'MSG-1025'],
    ] as const) {
      refusal = code;
      const query = { folder: `default${account}/W1`, id };
      expect([code, (await U1.put('mail', 'update', query, { set_flags: 8 })).code]).toEqual([code, expected]);
    }
  }, 30_000);

  it('ME-06 are refused from the change of a password until the next login; a log-out closes connections', async () => {
    const { admin } = at.cast;
    const { dovecot } = at.outside;
    const contextId = await createContext(admin, 'own');
    const of = `/admin/v1/contexts/${contextId}`;
    await admin.expect('PUT', `${of}/config/com.example.mail.passwordSource`, { value: 'session' });
    const dora = await createTestUser(at.world, admin, contextId, 'dora');
    await provisionMailbox({ ...at, cast: { ...at.cast, contextId } }, dora, { login: 'dora' });
    const second = new Client(at.world.publicUrl, 'another client');
    await second.login(dora.loginName, PASSWORD);
    await dovecot.setPassword('dora', PASSWORD);
    const ask = async (user: Client) => (await user.get('mail', 'count', { folder: 'default0/INBOX' })).code;
    await until(async () => (await ask(dora)) === undefined, 15_000);
    expect(await ask(second)).toBeUndefined();

    const changed = 'another, longer horse 2';
    await dovecot.setPassword('dora', changed);
    const open = () =>
      dovecot.log().match(/Login: user=<dora>/g)!.length -
      (dovecot.log().match(/imap\(dora\).*Logged out/g) ?? []).length;
    expect(open()).toBeGreaterThan(0);
    await second.fetch('GET', '/login', { action: 'logout', session: second.session });
    // Sooner than idle connections are closed anyway.
    await until(() => open() === 0, 5_000);
    expect(await ask(dora)).toBe('MSG-1000');
    await admin.expect('PUT', `${of}/users/${dora.userId}/password`, { password: changed });
    await dora.login(dora.loginName, changed);
    expect(await ask(dora)).toBeUndefined();
  }, 60_000);

  it('ME-07 MA-39 are used by few connections, and one that is away takes only its own mails with it', async () => {
    const counts = await Promise.all(
      Array.from({ length: 60 }, () => at.cast.U1.get('mail', 'count', { folder: 'default0/F2' })),
    );
    expect(new Set(counts.map(({ data }) => data))).toEqual(new Set([5]));
    const external = {
      ...{
        name: 'Other',
        mail_url: `imaps://mail.test:${at.outside.dovecot.imaps}`,
        login: 'bob',
        password: MAIL_PASSWORD,
      },
      ...{ primary_address: 'bob@mail.test', transport_url: 'smtp://mail.test:2525' },
    };
    const { data: made } = await at.cast.U1.put('account', 'new', {}, external);
    const folder = `default${made.id}/INBOX`;
    const [id] = await store('X1', [{ subject: 'across', flags: ['\\Flagged', '$cl_2'] }]);
    await new Promise((resolve) => setTimeout(resolve, 3_100));
    const moved = await update('X1', id, { folder_id: folder });
    expect(moved.data.folder_id).toBe(folder);
    const { data } = await at.cast.U1.get('mail', 'all', { folder, columns: '607,102,653' });
    expect([data, await subjects('X1')]).toEqual([[['across', 2, made.id]], []]);
    await at.cast.U1.put(
      'account',
      'update',
      {},
      { id: made.id, mail_url: 'imaps://nowhere.test:1993', password: MAIL_PASSWORD },
    );
    await new Promise((resolve) => setTimeout(resolve, 3_100));
    const [[first]] = (await all('F2', '600')) as [[string]];
    const references = [
      { id: first, folder: 'default0/F2' },
      { id: moved.data.id, folder },
    ];
    const listed = await at.cast.U1.put('mail', 'list', { columns: '600' }, references);
    expect(listed.data).toEqual([[first]]);
    expect(JSON.stringify(listed.warnings ?? listed)).toContain('MSG-1016');
    const now = new Date().getUTCFullYear();
    const [archived, deleted] = await store('X2', [
      { subject: 'archived', received: new Date().toISOString() },
      { subject: 'deleted' },
    ]);
    const change = (action: string, ours: string, parameters: object = {}) =>
      at.cast.U1.put('mail', action, { ...parameters }, [
        { id: moved.data.id, folder },
        { id: ours, folder: 'default0/X2' },
      ]);
    const inArchive = await change('archive', archived!);
    expect(inArchive.data).toMatchObject([{ folder_id: `default0/Archive.${now}` }]);
    expect(inArchive.warnings).toMatchObject({ code: 'MSG-1016' });
    const inTrash = await change('delete', deleted!, { returnAffectedFolders: true });
    expect(inTrash.data.folders['default0/X2']).toEqual({ total: 0, unread: 0 });
    expect(inTrash.warnings).toMatchObject({ code: 'MSG-1016' });
    // A request fails where nothing could be done.
    for (const action of ['archive', 'delete'])
      expect((await at.cast.U1.put('mail', action, {}, references.slice(1))).code).toBe('MSG-1016');
  }, 60_000);
});

describe('new mails', () => {
  /** Mailboxes that the product listens to. */
  const listeners = async (): Promise<number> => {
    const text = await (await fetch(`${at.world.internalUrl}/metrics`)).text();
    return Number(/^groupware_mail_watch_listeners (\d+)$/m.exec(text)?.[1]);
  };

  it('are told within a second to users who look, and nobody listens for others', async () => {
    const { U3 } = at.cast;
    await provisionMailbox(at, U3, { login: 'cleo' });
    const appointments = await openEvents(U3, { topics: 'ox:calendar:*' });
    const stream = await openEvents(U3, { topics: 'ox:mail:*' });
    await until(async () => (await listeners()) === 1);
    // Longer than listening goes on by itself.
    const since = performance.now();
    await until(() => performance.now() > since + 1_500);
    await at.outside.dovecot.deliver('cleo', 'From: Ann <ann@mail.test>\r\nSubject: News\r\n\r\nHello\r\n');
    const delivered = performance.now();
    const [notice] = await stream.expect(1);
    // Dovecot itself waits half a second for more. Machines that do much else at the time get some spare time.
    expect(performance.now() - delivered).toBeLessThan(2_000);
    expect(notice).toMatchObject({
      event: 'ox:mail:new',
      data: {
        folder: 'default0/INBOX',
        id: '1',
        email: 'ann@mail.test',
        displayname: 'Ann',
        subject: 'News',
        unread: 1,
        teaser: 'Hello',
      },
    });
    const { data } = await U3.get('mail', 'get', { folder: notice!.data.folder, id: notice!.data.id });
    expect(data.subject).toBe('News');
    stream.close();
    await until(async () => (await listeners()) === 0, 15_000);
    expect(appointments.notices).toEqual([]);
    appointments.close();
  }, 30_000);
});
