import { until } from '@groupware/test-kit';
import { startMail, storeMails, type MailFixtures } from './mailbox';

let at: MailFixtures;
beforeAll(async () => {
  at = await startMail();
}, 120_000);
afterAll(() => at?.close());

const choose = async (name: string, value: boolean | string, node = 'modules/mail'): Promise<void> => {
  const { U1 } = at.cast;
  const query = { session: U1.session };
  const body = JSON.stringify({ data: value });
  const answer = await U1.fetch('PUT', `/config/${node}/${name}`, query, { body });
  expect(await answer.json()).not.toHaveProperty('error');
};
const chosen = async (name: string, node = 'modules/mail'): Promise<unknown> => {
  const { U1 } = at.cast;
  const answer = await U1.fetch('GET', `/config/${node}/${name}`, { session: U1.session });
  return ((await answer.json()) as { data: unknown }).data;
};
const subjects = async (folder: string): Promise<string[]> => {
  const query = { folder: `default0/${folder}`, columns: '607', sort: '607', order: 'asc' };
  return ((await at.cast.U1.get<[string][]>('mail', 'all', query)).data ?? []).map(([subject]) => subject);
};

describe('settings of the user', () => {
  it('MF-19 delete for good what is deleted, where that was chosen', async () => {
    const { U1 } = at.cast;
    const ids = await storeMails(
      at.imap,
      'Chosen',
      ['one', 'two', 'three', 'four'].map((subject) => ({ subject })),
    );
    const remove = async (id: string | undefined, parameters: object = {}) =>
      expect((await U1.put('mail', 'delete', { ...parameters }, [{ id, folder: 'default0/Chosen' }])).data).toEqual([]);
    await remove(ids[0]);
    expect(await subjects('Trash')).toEqual(['one']);
    await choose('deletemail', true);
    await remove(ids[1]);
    expect([await subjects('Chosen'), await subjects('Trash')]).toEqual([['four', 'three'], ['one']]);
    expect((await U1.put('mail', 'clear', {}, ['default0/Chosen'])).data).toEqual([]);
    expect([await subjects('Chosen'), await subjects('Trash')]).toEqual([[], ['one']]);
    await choose('deletemail', false);
    const [again] = await storeMails(at.imap, 'Chosen2', [{ subject: 'five' }]);
    await U1.put('mail', 'delete', {}, [{ id: again, folder: 'default0/Chosen2' }]);
    expect(await subjects('Trash')).toEqual(['five', 'one']);
  });

  it('MH-08 show pictures of other servers to who wants them, unless the request says otherwise', async () => {
    const [id] = await storeMails(at.imap, 'Pictures', [
      { headers: ['Content-Type: text/html'], text: '<p>Hi <img src="https://x.example/p.png"></p>' },
    ]);
    const hasPicture = async (parameters: object = {}) => {
      const query = { folder: 'default0/Pictures', id: id!, ...parameters };
      const { data } = await at.cast.U1.get<any>('mail', 'get', query);
      return [data.attachments[0].content.includes('https://x.example/p.png'), data.modified];
    };
    expect(await hasPicture()).toEqual([false, 1]);
    await choose('allowhtmlimages', true);
    expect(await hasPicture()).toEqual([true, 0]);
    expect(await hasPicture({ view: 'noimg' })).toEqual([false, 1]);
    await choose('allowhtmlimages', false);
    expect(await hasPicture()).toEqual([false, 1]);
    expect(await hasPicture({ forceImages: true })).toEqual([true, 0]);
  });

  it('show HTML as text to who wants no HTML, unless the request says otherwise', async () => {
    const { U1 } = at.cast;
    const html = { headers: ['Content-Type: text/html'], text: '<p>Hi <b>you</b></p>' };
    const [id] = await storeMails(at.imap, 'Texts', [html]);
    const typeOf = async (parameters: object = {}): Promise<string> => {
      const query = { folder: 'default0/Texts', id: id!, ...parameters };
      return (await U1.get<any>('mail', 'get', query)).data.attachments[0].content_type;
    };
    const typeOfNew = async () => {
      const opened = await U1.fetch('POST', '/mail/compose', { session: U1.session }, {});
      return ((await opened.json()) as any).data.contentType;
    };
    expect([await typeOf(), await typeOfNew()]).toEqual(['text/html', 'text/html']);
    await choose('htmlinline', false, 'mail');
    expect([await typeOf(), await typeOfNew()]).toEqual(['text/plain', 'text/plain']);
    expect(await typeOf({ view: 'html' })).toBe('text/html');
    await choose('inlineattachments', true);
    expect([await typeOf(), await typeOfNew()]).toEqual(['text/html', 'text/html']);
  });

  it('show quotes in plain text as they are written, where that was chosen', async () => {
    const [id] = await storeMails(at.imap, 'Quotes', [{ text: 'mine\r\n> theirs' }]);
    const textOf = async (): Promise<string> => {
      const { data } = await at.cast.U1.get<any>('mail', 'get', { folder: 'default0/Quotes', id: id!, view: 'html' });
      return data.attachments[0].content;
    };
    expect(await textOf()).toBe('mine<blockquote type="cite">theirs</blockquote>');
    await choose('colorquote', false, 'mail');
    expect(await textOf()).toBe('mine<br>&gt; theirs');
    await choose('colorquoted', true);
    expect(await textOf()).toContain('<blockquote');
  });

  it('prepare answers and mails that pass others on as chosen', async () => {
    const { U1 } = at.cast;
    const headers = [`To: ${U1.email}, cee@x.example`];
    const [id] = await storeMails(at.imap, 'Prepared', [
      { subject: 'Plan', from: 'bob@x.example', headers, text: 'their text' },
    ]);
    const original = { folder: 'default0/Prepared', id: id! };
    const prepare = async (action: string) => (await U1.get<any>('mail', action, original)).data;
    const textOf = async (action: string): Promise<string> => (await prepare(action)).attachments[0].content;
    const compose = async (type: string) => {
      const query = { session: U1.session, type };
      const body = JSON.stringify([{ id, folderId: original.folder }]);
      const init = { body, headers: { 'content-type': 'application/json' } };
      return ((await (await U1.fetch('POST', '/mail/compose', query, init)).json()) as any).data;
    };

    const [bob, cee] = [
      [null, 'bob@x.example'],
      [null, 'cee@x.example'],
    ];
    expect(await prepare('replyall')).toMatchObject({ to: [bob, cee], cc: [] });
    await choose('replyallcc', true);
    expect(await prepare('replyall')).toMatchObject({ to: [bob], cc: [cee] });
    expect(await prepare('reply')).toMatchObject({ to: [bob], cc: [] });
    await choose('replyallcc', false);

    const isWhole = async () => (await prepare('forward')).attachments[1]?.content_type === 'message/rfc822';
    expect(await isWhole()).toBe(false);
    await choose('forwardmessage', 'Attachment');
    expect([await isWhole(), (await prepare('forward')).subject]).toEqual([true, 'Fwd: Plan']);
    expect(await chosen('inlineforward', 'mail')).toBe(false);
    await choose('forwardmessage', 'Inline');
    expect([await isWhole(), await chosen('inlineforward', 'mail')]).toEqual([false, true]);
    await choose('inlineforward', false, 'mail');
    expect([await isWhole(), await chosen('forwardmessage')]).toEqual([true, 'Attachment']);
    await choose('inlineforward', true, 'mail');
    expect([await isWhole(), await chosen('forwardmessage')]).toEqual([false, 'Inline']);
    await choose('forwardmessage', 'attachment');
    expect(await isWhole()).toBe(true);
    await choose('forwardmessage', 'Inline');

    for (const action of ['reply', 'replyall']) expect(await textOf(action)).toContain('> their text');
    expect((await compose('reply')).content).toContain('their text');
    await choose('ignorereplytext', true, 'mail');
    expect([await textOf('reply'), await textOf('replyall')]).toEqual(['', '']);
    expect(await textOf('forward')).toContain('their text');
    expect([(await compose('reply')).content, (await compose('replyall')).content]).toEqual(['', '']);
    expect((await compose('forward')).content).toContain('their text');
    await choose('ignorereplytext', false, 'mail');
  }, 30_000);

  it('collect addresses of mails that are read, where that was chosen', async () => {
    const { U1 } = at.cast;
    const mail = { from: 'Zoe <zoe@y.example>', headers: ['To: joe@y.example'] };
    const ids = await storeMails(at.imap, 'Collected', [mail, mail]);
    const read = (id: string | undefined, parameters: object = {}) =>
      U1.get<any>('mail', 'get', { folder: 'default0/Collected', id: id!, ...parameters });
    const collected = async (): Promise<unknown[][]> => {
      const answer = await U1.fetch('GET', '/config/modules/mail/contactCollectFolder', { session: U1.session });
      const { data: folder } = (await answer.json()) as { data?: string };
      if (!folder) return [];
      return (await U1.get<unknown[][]>('contacts', 'all', { folder, columns: '500,555,608' })).data!.toSorted();
    };
    expect((await read(ids[0])).data.unseen).toBe(true);
    await choose('contactCollectOnMailAccess', true);
    // A mail that was read before, and one that is only looked at.
    await read(ids[0]);
    await read(ids[1], { unseen: true });
    expect(await collected()).toEqual([]);
    await until(async () => {
      await U1.put('mail', 'update', { folder: 'default0/Collected', id: ids[1]! }, { clear_flags: 32 });
      await read(ids[1]);
      return (await collected()).length === 2;
    });
    expect(await collected()).toEqual([
      ['Zoe', 'zoe@y.example', 0],
      ['joe@y.example', 'joe@y.example', 0],
    ]);
  });

  it('keep no copy of mails that are sent, where that was chosen, unless the request says otherwise', async () => {
    const { U1 } = at.cast;
    const post = async (path: string, parameters: object, name: string, json: object) => {
      const form = new FormData();
      form.append(name, JSON.stringify(json));
      const query = { session: U1.session, force_json_response: true, plainJson: true, ...parameters };
      return ((await (await U1.fetch('POST', path, query, { body: form })).json()) as any).data ?? null;
    };
    const mail = { to: [[null, 'bob@x.example']], subject: 'kept?' };
    const send = (parameters: object = {}) => post('/mail', { action: 'new', ...parameters }, 'json_0', mail);
    const compose = async () => {
      const opened = await U1.fetch('POST', '/mail/compose', { session: U1.session }, {});
      const { id } = ((await opened.json()) as any).data;
      return post(`/mail/compose/${id}/send`, {}, 'JSON', mail);
    };
    const sendSource = async () => {
      const query = { action: 'new', session: U1.session };
      const headers = { 'content-type': 'text/plain' };
      const body = 'To: bob@x.example\r\nSubject: kept?\r\n\r\nx';
      return ((await (await U1.fetch('PUT', '/mail', query, { body, headers })).json()) as any).data;
    };
    const [inSent, place] = [expect.stringMatching(/^default0\/Sent\/\d+$/), expect.any(String)];
    expect([await send(), await compose()]).toEqual([inSent, inSent]);
    expect(await sendSource()).toEqual({ folder_id: 'default0/Sent', id: place });
    await choose('nocopytosent', true, 'mail');
    const before = (await subjects('Sent')).length;
    expect([await send(), await compose(), await sendSource()]).toEqual([
      ...[null, { success: true }, { folder_id: 'default0' }],
    ]);
    expect(await subjects('Sent')).toHaveLength(before);
    expect(await send({ copy2Sent: true })).toEqual(inSent);
    await choose('nocopytosent', false, 'mail');
    expect(await send()).toEqual(inSent);
  }, 30_000);
});
