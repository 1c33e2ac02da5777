import { MailErrors, type UserPrincipal } from '@groupware/contracts';
import { setLogDestination } from '@groupware/service-kit';
import { person } from '@groupware/test-kit';
import { SharedFiles } from './shared-files';

describe('files of mails as links', () => {
  const values: Record<string, unknown> = { threshold: 0, externalRecipientsLocale: 'user-defined', enabled: true };
  const get = async ({ key }: { key: string }) => values[key.split('.').pop()!] ?? false;
  const none = {} as never;
  const files = new SharedFiles(none, { get } as never, none, none, none, none);
  const wanted = { enabled: true, expiryDate: 9e12, autodelete: false, language: null, password: null };
  const may = (changes: Partial<UserPrincipal>, shared: Partial<typeof wanted> = {}) =>
    files.resolveSharing(
      { ...person(1, { contextId: 1 }), capabilities: ['infostore', 'share_links'], ...changes },
      { ...wanted, ...shared },
      [{ name: 'a', type: 'text/plain', reference: 'r', sizeBytes: 11 }],
    );
  /** Works while properties have other values. */
  const within = async (changes: Record<string, unknown>, work: () => Promise<void>) => {
    const before = { ...values };
    Object.assign(values, changes);
    await work().finally(() => Object.assign(values, before));
  };

  it('are for users who may use and share files', async () => {
    await expect(may({})).resolves.toEqual(wanted);
    for (const capabilities of [['infostore'], ['share_links'], []])
      await expect(may({ capabilities })).rejects.toThrow(MailErrors.sharingNotAllowed());
  });

  it('are closed to applications that may only write mails', async () => {
    await expect(may({ appScopes: ['read_mail', 'write_mail'] })).rejects.toThrow(MailErrors.sharingNotAllowed());
  });

  it('are made unasked where files are larger together than they may be, for users who may', async () => {
    const unasked = { enabled: false };
    await expect(may({}, unasked)).resolves.toBeUndefined();
    await within({ threshold: 11 }, async () => expect(await may({}, unasked)).toBeUndefined());
    await within({ threshold: 10 }, async () => {
      expect(await may({}, unasked)).toEqual({ ...wanted, ...unasked });
      expect(await may({ capabilities: ['infostore'] }, unasked)).toBeUndefined();
    });
  });

  it('end with their links, and speak another language, where operators say so', async () => {
    await within({ forceAutoDelete: true, externalRecipientsLocale: 'de_DE' }, async () => {
      expect(await may({})).toEqual({ ...wanted, autodelete: true, language: 'de_DE' });
      expect(await may({}, { expiryDate: null as never })).toMatchObject({ autodelete: false });
      expect(await may({}, { language: 'fr_FR' as never })).toMatchObject({ language: 'fr_FR' });
    });
    expect(await may({}, { autodelete: true, expiryDate: null as never })).toMatchObject({ autodelete: false });
  });

  it('stay with a warning where their folder cannot be removed', async () => {
    const lines: Record<string, unknown>[] = [];
    setLogDestination({ write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) });
    const caller = {
      call: async () => {
        throw new Error('no folders');
      },
    };
    const broken = new SharedFiles(caller as never, { get } as never, none, none, none, none);
    const request = { principal: person(7, { contextId: 3 }), requestId: 'r1' };
    await expect(broken.removeFolder(request as never, { id: '31' })).resolves.toBeUndefined();
    expect(lines).toMatchObject([
      { level: 'warn', logger: 'mail', requestId: 'r1', context: 3, user: 7, folder: '31', cause: 'Error: no folders' },
    ]);
    setLogDestination({ write: () => undefined }, 'silent');
  });
});
