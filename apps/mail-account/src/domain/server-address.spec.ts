import fc from 'fast-check';
import { findPortHint, parseServer, parseServerFields, toServerUrl } from './server-address';

const imap = (changes: object = {}) => ({
  protocol: 'imap',
  host: 'mail.test',
  port: 143,
  secure: false,
  starttls: false,
  ...changes,
});

describe('servers of accounts', () => {
  it.each([
    [{ mail_url: 'imap://mail.test' }, imap()],
    [{ mail_url: 'imaps://mail.test' }, imap({ port: 993, secure: true })],
    [{ mail_url: 'IMAPS://Mail.Test.:1993/' }, imap({ port: 1993, secure: true })],
    [{ mail_url: 'pop3s://mail.test' }, imap({ protocol: 'pop3', port: 995, secure: true })],
    [{ mail_url: 'mail.test:144' }, imap({ port: 144 })],
    [{ mail_url: 'imap://[2606:4700::1]:143' }, imap({ host: '2606:4700::1' })],
    [{ mail_url: 'imap://user@mail.test' }, imap()],
    [{ mail_server: 'mail.test', mail_secure: true }, imap({ port: 993, secure: true })],
    [{ mail_server: 'mail.test', mail_protocol: 'imaps' }, imap({ port: 993, secure: true })],
    [{ mail_server: 'mail.test', mail_protocol: 'pop3', mail_port: 0 }, imap({ protocol: 'pop3', port: 110 })],
    [{ mail_server: 'mail.test', mail_starttls: true }, imap({ starttls: true })],
    [{ mail_url: 'imaps://mail.test', mail_port: 993, mail_secure: false }, imap({ port: 993, secure: true })],
    [{ mail_url: 'imap://mail.test', mail_server: 'other.test', mail_port: 1 }, imap({ port: 1 })],
  ])('%j', (body, server) => expect(parseServerFields(body, 'mail', undefined)).toEqual(server));

  it('follow what the body changes and nothing else', () => {
    const before = imap({ port: 1143, starttls: true });
    expect(parseServerFields({ login: 'x' }, 'mail', before)).toBeUndefined();
    expect(parseServerFields({ mail_port: 1144 }, 'mail', before)).toEqual(imap({ port: 1144, starttls: true }));
    expect(parseServerFields({ mail_secure: true }, 'mail', before)).toEqual(imap({ port: 993, secure: true }));
    expect(parseServerFields({ mail_url: 'imap://new.test' }, 'mail', before)).toEqual(imap({ host: 'new.test' }));
    expect(parseServerFields({ mail_url: '' }, 'mail', before)).toBeNull();
    expect(parseServerFields({ transport_starttls: true }, 'transport', undefined)).toBeUndefined();
  });

  it('have the configured port for sending without TLS', () => {
    expect(parseServerFields({ transport_url: 'smtp://s.test' }, 'transport', undefined, 587)?.port).toBe(587);
    expect(parseServerFields({ transport_url: 'smtps://s.test' }, 'transport', undefined, 587)?.port).toBe(465);
  });

  it.each([
    [{ mail_url: 'http://mail.test' }, 'ACC-0018'],
    [{ mail_url: 'imap://' }, 'ACC-0018'],
    [{ mail_url: 'imap://mail.test:99999' }, 'ACC-0018'],
    [{ mail_url: 'imap://mail.test/path' }, 'ACC-0018'],
    [{ mail_server: 'a..b' }, 'ACC-0019'],
    [{ mail_server: 'mail.test', mail_protocol: 'smtp' }, 'ACC-0018'],
    [{ mail_server: 'mail.test', mail_secure: true, mail_starttls: true }, 'SVL-0031'],
  ])('are refused: %j', (body, code) =>
    expect(() => parseServerFields(body, 'mail', undefined)).toThrow(expect.objectContaining({ code })),
  );

  it('are read as they are written', () => {
    const name = fc.stringMatching(/^[a-z]{1,10}(\.[a-z]{1,10}){0,3}$/);
    fc.assert(
      fc.property(name, fc.integer({ min: 1, max: 65_535 }), fc.boolean(), (host, port, secure) => {
        expect(parseServer(toServerUrl({ protocol: 'imap', host, port, secure }), 'mail')).toEqual({
          protocol: 'imap',
          host,
          port,
          secure,
        });
      }),
    );
  });

  it('never make anything but an error of the catalogue out of noise', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          parseServer(text, 'mail');
        } catch (error) {
          expect((error as { code?: string }).code).toMatch(/^ACC-00(18|19)$/);
        }
      }),
    );
  });
});

describe('MA-12: hints at ports that do not fit', () => {
  it.each([
    ['mail', imap(), true, 'ACC-0022'],
    ['mail', imap({ port: 993 }), false, 'ACC-0023'],
    ['mail', imap({ protocol: 'pop3', port: 995 }), false, 'ACC-0023'],
    ['transport', imap({ protocol: 'smtp', port: 25 }), true, 'ACC-0024'],
    ['transport', imap({ protocol: 'smtp', port: 465 }), false, 'ACC-0025'],
    ['mail', imap(), false, undefined],
    ['mail', imap({ port: 993 }), true, undefined],
    ['mail', imap({ port: 993, starttls: true }), false, undefined],
    ['mail', imap({ port: 2143 }), true, undefined],
  ] as const)('%s %j, TLS wanted: %s', (side, server, wantsTls, code) =>
    expect(findPortHint(side, server, wantsTls)?.code).toBe(code),
  );
});
