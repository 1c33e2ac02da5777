import { mergeMailServer, parseMailServerUrl, toMailServers } from './mail-server';

describe('servers of a primary mail account', () => {
  it('keep what a change leaves out, lose what is null, and are nothing when nothing is left', () => {
    const before = { host: 'imap.test', port: 1143, login: 'ann' };
    expect(mergeMailServer('imap', before, undefined)).toBe(before);
    expect(mergeMailServer('imap', before, { port: null, secure: true })).toEqual({
      host: 'imap.test',
      login: 'ann',
      secure: true,
    });
    expect(mergeMailServer('imap', before, null)).toBeNull();
    expect(mergeMailServer('imap', { login: 'ann' }, { login: null })).toBeNull();
    expect(mergeMailServer('imap', null, { host: 'IMAP.Test.' })).toEqual({ host: 'imap.test' });
  });

  it.each([
    [{ port: 143 }, 'PROV-0019'],
    [{ host: 'no host' }, 'PROV-0019'],
    [{ host: 'imap.test', secure: true, starttls: true }, 'PROV-0019'],
  ])('refuse %j', (change, code) => {
    expect(() => mergeMailServer('imap', null, change)).toThrow(expect.objectContaining({ code }));
  });

  it('show the port of their protocol where none is set', () => {
    expect(toMailServers({ imap: { host: 'a', secure: true }, smtp: { host: 'b', login: 'x' } })).toEqual({
      imap: { host: 'a', port: 993, secure: true, starttls: false },
      smtp: { host: 'b', port: 25, secure: false, starttls: false, login: 'x' },
    });
    expect(toMailServers({ imap: { login: 'ann' }, smtp: null })).toEqual({ imap: { login: 'ann' } });
  });

  it('are read from addresses', () => {
    expect(parseMailServerUrl('imap', 'imaps://imap.test:1993')).toEqual({
      host: 'imap.test',
      port: 1993,
      secure: true,
    });
    expect(parseMailServerUrl('smtp', 'smtp://smtp.test/')).toEqual({ host: 'smtp.test', secure: false });
    expect(parseMailServerUrl('imap', '[::1]:143')).toEqual({ host: '[::1]', port: 143 });
    for (const text of ['smtp://imap.test', 'imap://', 'a b'])
      expect(() => parseMailServerUrl('imap', text)).toThrow(expect.objectContaining({ code: 'PROV-0019' }));
  });
});
