import { Secret, SecretKeySettings } from '@groupware/service-kit';
import { SealedText } from '@groupware/sessions';
import { findGrant, createGrant } from '../domain/password-grant';
import { PasswordVault } from './password-vault';

const key = Buffer.alloc(32, 1);
const vault = new PasswordVault(
  Object.assign(new SecretKeySettings(), { secretKey: new Secret(key.toString('base64')) }),
);
const owner = { contextId: 1, userId: 3 };
const server = { protocol: 'imap', host: 'mail.test', port: 993, secure: true, starttls: false };
const seal = (servers = [createGrant(server)], changes: object = {}) =>
  vault.sealPassword({ password: 'hush', servers }, { ...owner, id: 7, side: 'mail', ...changes });
const row = (password: string, changes: object = {}) => ({
  id: 7,
  password,
  mail_protocol: 'imap',
  mail_server: 'mail.test',
  mail_port: 993,
  mail_secure: true,
  ...changes,
});

describe('the vault of passwords', () => {
  it('keeps the servers a password was given for, whatever the row says', () => {
    const granted = vault.unsealPassword(owner, row(seal(), { mail_server: 'evil.test', mail_secure: false }), 'mail');
    expect(granted).toEqual({
      password: 'hush',
      servers: [{ protocol: 'imap', host: 'mail.test', port: 993, encrypted: true }],
    });
  });

  it('opens a value only where it belongs', () => {
    expect(vault.unsealPassword({ ...owner, contextId: 2 }, row(seal()), 'mail')).toBeUndefined();
    expect(vault.unsealPassword({ ...owner, userId: 4 }, row(seal()), 'mail')).toBeUndefined();
    expect(vault.unsealPassword(owner, { ...row(seal()), id: 8 }, 'mail')).toBeUndefined();
    expect(vault.unsealPassword(owner, { ...row(''), transport_password: seal() }, 'transport')).toBeUndefined();
    expect(vault.unsealPassword(owner, row(seal().replace('servers:', '')), 'mail')).toBeUndefined();
  });

  it('takes values of older versions as given for the servers of their row, and has them sealed again', () => {
    const older = new SealedText([key], 'mail-account-password').seal('hush', '1/3/7/mail');
    const transport = { transport_server: 'out.test', transport_port: 25, transport_starttls: true };
    expect(vault.unsealPassword(owner, row(older, transport), 'mail')?.servers).toEqual([
      { protocol: 'imap', host: 'mail.test', port: 993, encrypted: true },
      { protocol: 'smtp', host: 'out.test', port: 25, encrypted: true },
    ]);
    expect(
      vault.unsealPassword(owner, row(older, { ...transport, transport_auth: 'none' }), 'mail')?.servers,
    ).toHaveLength(1);
    const again = vault.resealPassword(owner, row(older, transport), 'mail');
    expect(vault.unsealPassword(owner, row(again!, { mail_server: 'evil.test' }), 'mail')?.servers).toHaveLength(2);
    const sealed = seal();
    expect(vault.resealPassword(owner, row(sealed), 'mail')).toBe(sealed);
  });
});

describe('a grant', () => {
  it.each([
    ['another host', { host: 'mail.test.evil.test' }],
    ['another port', { port: 143 }],
    ['another protocol', { protocol: 'pop3' }],
  ])('is none for %s', (_name, changes) =>
    expect(findGrant([createGrant(server)], { ...server, ...changes })).toBeUndefined(),
  );

  it('knows of encryption once there was some', () => {
    const plain = { ...server, secure: false };
    expect([createGrant(plain), createGrant(plain, true), createGrant({ ...plain, starttls: true })]).toMatchObject([
      { encrypted: false },
      { encrypted: true },
      { encrypted: true },
    ]);
  });
});
