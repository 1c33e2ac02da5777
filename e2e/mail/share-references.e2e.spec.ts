import { startMail, type MailFixtures } from './mailbox';

let at: MailFixtures;
beforeAll(async () => {
  at = await startMail();
}, 120_000);
afterAll(() => at?.close());

const HEADER = 'X-Svc-Share-Reference';
const PIN = 'a pin for the link';
const END = Date.now() + 7 * 86_400_000;

/** Sends a mail with files as a link; answers the header of its copy. */
async function sendAsLink(names: readonly string[]): Promise<string> {
  const { U1 } = at.cast;
  const post = async (path: string, form?: FormData): Promise<any> =>
    (await U1.fetch('POST', `/mail/compose${path}`, { session: U1.session }, { body: form })).json();
  const { id } = (await post('')).data;
  const files = new FormData();
  names.forEach((name, index) => files.append(`file_${index}`, new Blob([`of ${name}`], { type: 'text/plain' }), name));
  await post(`/${id}/attachments`, files);
  const form = new FormData();
  const sharedAttachments = { enabled: true, expiryDate: END, password: PIN };
  form.append('JSON', JSON.stringify({ to: [[null, 'bob@x.example']], subject: 'Big files', sharedAttachments }));
  const { data } = await post(`/${id}/send`, form);
  const [, folder, mail] = /^(.*)\/([^/]+)$/.exec(data)!;
  const read = await U1.get<any>('mail', 'get', { folder: folder!, id: mail! });
  return read.data.headers[HEADER];
}
const resolve = (reference: unknown, user: 'U1' | 'U2' = 'U1') =>
  at.cast[user].put<any>('mail', 'resolve_share_reference', {}, { reference });

describe('a reference to files that went as a link', () => {
  it('tells the sender of the files, and what became of them', async () => {
    const { U1, contextId } = at.cast;
    const reference = await sendAsLink(['b.txt', 'a.txt']);
    const { data, error } = await resolve(reference);
    expect(error).toBeUndefined();
    expect(data).toEqual({
      shareToken: expect.stringMatching(/^[\w-]{20,}$/),
      contextId,
      userId: U1.userId,
      expiration: END,
      password: PIN,
      files: ['a.txt', 'b.txt'].map((filename) =>
        expect.objectContaining({
          ...{ id: expect.any(String), folder_id: expect.any(String), filename, file_size: `of ${filename}`.length },
          ...{ title: filename, file_mimetype: 'text/plain', last_modified_utc: expect.any(Number) },
        }),
      ),
    });
    // The token is that of the link.
    const opened = await fetch(`${at.world.publicUrl}/share/${data.shareToken}`, { redirect: 'manual' });
    expect([opened.status, opened.headers.get('location')]).toEqual([302, expect.stringContaining('login_type=')]);

    const [{ id, folder_id: folder }] = data.files;
    // Of another token the pin is not told.
    const other = Buffer.from(JSON.stringify({ ...data, shareToken: 'x', folder })).toString('base64url');
    expect((await resolve(other)).data).not.toHaveProperty('password');
    const gone = await U1.put('infostore', 'delete', { timestamp: Date.now() + 1e9, hardDelete: true }, [
      { id, folder },
    ]);
    expect(gone.error).toBeUndefined();
    expect((await resolve(reference)).data.files.map(({ filename }: any) => filename)).toEqual(['b.txt']);
    await U1.put('folders', 'delete', { timestamp: Date.now() + 1e9, hardDelete: true }, [folder]);
    expect((await resolve(reference)).code).toMatch(/^(FLD-0008|IFO-0302|IFO-0400)$/);
  }, 60_000);

  it('tells nobody else, and nothing of what others wrote', async () => {
    const { U1, U2, contextId } = at.cast;
    const own = { shareToken: 'x', contextId, userId: U1.userId, folder: '10' };
    const pack = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    expect((await resolve(pack(own), 'U2')).code).toMatch(/^(MSG-0095|SVL-0016|MSG-0013)$/);
    for (const changed of [{ userId: U2.userId }, { contextId: contextId + 1 }])
      expect((await resolve(pack({ ...own, ...changed }))).code).toBe('MSG-0095');
    for (const bad of ['', 'no reference', pack([]), pack({ ...own, folder: '../1' })])
      expect((await resolve(bad)).code).toMatch(/^(MSG-0103|SVL-0031)$/);
    expect((await resolve(undefined)).code).toBeDefined();
    expect((await resolve(pack({ ...own, folder: '999999999' }))).code).toMatch(/^(FLD-0008|IFO-0302|IFO-0400)$/);
  });
});
