import { changedMailServer, mailServerOfUrl, mailServersView } from './mail-server';

describe('servers of a primary mail account', () => {
  it('keep what a change leaves out, lose what is null, and are nothing when nothing is left', () => {
    const before = { host: 'imap.test', port: 1143, login: 'ann' };
    expect(changedMailServer('imap', before, undefined)).toBe(before);
    expect(changedMailServer('imap', before, { port: null, secure: true })).toEqual({
      host: 'imap.test',
      login: 'ann',
      secure: true,
    });
    expect(changedMailServer('imap', before, null)).toBeNull();
    expect(changedMailServer('imap', { login: 'ann' }, { login: null })).toBeNull();
    expect(changedMailServer('imap', null, { host: 'IMAP.Test.' })).toEqual({ host: 'imap.test' });
  });

  it.each([
    [{ port: 143 }, 'PROV-0019'],
    [{ host: 'no host' }, 'PROV-0019'],
    [{ host: 'imap.test', secure: true, starttls: true }, 'PROV-0019'],
  ])('refuse %j', (change, code) => {
    expect(() => changedMailServer('imap', null, change)).toThrow(expect.objectContaining({ code }));
  });

  it('show the port of their protocol where none is set', () => {
    expect(mailServersView({ imap: { host: 'a', secure: true }, smtp: { host: 'b', login: 'x' } })).toEqual({
      imap: { host: 'a', port: 993, secure: true, starttls: false },
      smtp: { host: 'b', port: 25, secure: false, starttls: false, login: 'x' },
    });
    expect(mailServersView({ imap: { login: 'ann' }, smtp: null })).toEqual({ imap: { login: 'ann' } });
  });

  it('are read from addresses', () => {
    expect(mailServerOfUrl('imap', 'imaps://imap.test:1993')).toEqual({ host: 'imap.test', port: 1993, secure: true });
    expect(mailServerOfUrl('smtp', 'smtp://smtp.test/')).toEqual({ host: 'smtp.test', secure: false });
    expect(mailServerOfUrl('imap', '[::1]:143')).toEqual({ host: '[::1]', port: 143 });
    for (const text of ['smtp://imap.test', 'imap://', 'a b'])
      expect(() => mailServerOfUrl('imap', text)).toThrow(expect.objectContaining({ code: 'PROV-0019' }));
  });
});
