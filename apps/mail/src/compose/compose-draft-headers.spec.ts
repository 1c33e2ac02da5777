import { MailHeaders } from '@groupware/mail-content';
import { Secret, SecretKeySettings } from '@groupware/service-kit';
import type { ComposeSpace } from '@groupware/contracts';
import { readDraftHeaders, toDraftHeaders } from './compose-draft-headers';
import { toSecurity, toShared } from './compose-fields';
import { ComposePasswords } from './compose-passwords';

const passwordsOf = (key: number) =>
  new ComposePasswords(
    Object.assign(new SecretKeySettings(), { secretKey: new Secret(Buffer.alloc(32, key).toString('base64')) }),
  );
const seal = passwordsOf(1).sealOf({ contextId: 1, userId: 3 });
const shared = { enabled: true, language: null, autodelete: false, expiryDate: 5, password: 'hush' };
const headersOf = (changes: object = {}, lacksPassword = false) => {
  const space = {
    meta: { type: 'NEW' },
    security: toSecurity({}),
    sharedAttachments: toShared({ ...shared, ...changes }),
  };
  const headers = toDraftHeaders(space as ComposeSpace, seal, lacksPassword);
  return new MailHeaders(
    Buffer.from(
      Object.entries(headers)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join(''),
    ),
  );
};

describe('a link in the headers of a draft', () => {
  it.each([['hush'], ['ünd \u{1f600}'], [null]])('has its password %j again', (password) => {
    const { sharedAttachments, meta } = readDraftHeaders(headersOf({ password }), seal);
    expect(sharedAttachments).toEqual({ ...shared, password });
    expect(meta).not.toHaveProperty('lostPassword');
  });

  it('has no password that can be read', () => {
    const kept = Buffer.from(headersOf().listAllTexts().join(), 'base64').toString();
    expect(JSON.parse(kept)).toEqual({ ...shared, password: undefined, sealed: expect.stringMatching(/^[\w.-]+$/) });
    expect(kept).not.toContain('hush');
  });

  it.each([
    ['another user', passwordsOf(1).sealOf({ contextId: 1, userId: 4 })],
    ['another context', passwordsOf(1).sealOf({ contextId: 2, userId: 3 })],
    ['another key', passwordsOf(2).sealOf({ contextId: 1, userId: 3 })],
  ])('has lost its password for %s', (_name, other) => {
    const { sharedAttachments, meta } = readDraftHeaders(headersOf(), other);
    expect([sharedAttachments, meta]).toEqual([{ ...shared, password: null }, { lostPassword: true }]);
  });

  it.each([
    ['that was lost before', headersOf({ password: null }, true)],
    ['that is too long to keep', headersOf({ password: 'x'.repeat(2_000) })],
    [
      'of an older version',
      new MailHeaders(
        Buffer.from(
          `X-Svc-Compose-Shared-Attachments: ${Buffer.from(JSON.stringify({ ...shared, password: null })).toString('base64')}`,
        ),
      ),
    ],
  ])('has lost a password %s', (_name, headers) => {
    const { sharedAttachments, meta } = readDraftHeaders(headers, seal);
    expect([sharedAttachments, meta]).toMatchObject([{ enabled: true, password: null }, { lostPassword: true }]);
  });

  it('is none where there was none', () => {
    expect(readDraftHeaders(headersOf({ enabled: false }), seal)).toEqual({ meta: {} });
  });
});
