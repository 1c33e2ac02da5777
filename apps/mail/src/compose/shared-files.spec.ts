import { MailErrors, type UserPrincipal } from '@groupware/contracts';
import { person } from '@groupware/test-kit';
import { SharedFiles } from './shared-files';

describe('files of mails as links', () => {
  const files = new SharedFiles({} as never, { get: async () => true } as never, {} as never, {} as never);
  const may = (changes: Partial<UserPrincipal>) =>
    files.requireAllowed({ ...person(1, { contextId: 1 }), capabilities: ['infostore', 'share_links'], ...changes }, {
      enabled: true,
      expiryDate: 9e12,
    } as never);

  it('are for users who may use and share files', async () => {
    await expect(may({})).resolves.toBeUndefined();
    for (const capabilities of [['infostore'], ['share_links'], []])
      await expect(may({ capabilities })).rejects.toThrow(MailErrors.sharingNotAllowed());
  });

  it('are closed to applications that may only write mails', async () => {
    await expect(may({ appScopes: ['read_mail', 'write_mail'] })).rejects.toThrow(MailErrors.sharingNotAllowed());
  });
});
