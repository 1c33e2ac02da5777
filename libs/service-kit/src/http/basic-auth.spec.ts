import { basicCredentials, sameCredentials } from './basic-auth';

const basic = (bytes: string, encoding: BufferEncoding = 'utf8') =>
  basicCredentials(`Basic ${Buffer.from(bytes, encoding).toString('base64')}`);

describe('HTTP Basic credentials', () => {
  it('are UTF-8, else ISO-8859-1', () => {
    expect(basic('a@b:c:d')).toEqual({ login: 'a@b', password: 'c:d' });
    expect(basic('ü:ß')).toEqual({ login: 'ü', password: 'ß' });
    expect(basic('ü:ß', 'latin1')).toEqual({ login: 'ü', password: 'ß' });
  });

  it('need a password and the scheme', () => {
    for (const text of ['a', 'a:', '']) expect(basic(text)).toBeUndefined();
    for (const header of [undefined, '', 'Basic', 'Basic ???', 'Bearer YTpi'])
      expect(basicCredentials(header)).toBeUndefined();
  });

  it('are equal when both halves are', () => {
    const pair = { login: 'a', password: 'b' };
    expect(sameCredentials(pair, { ...pair })).toBe(true);
    for (const other of [
      { login: 'a', password: 'c' },
      { login: 'b', password: 'b' },
      { login: '', password: '' },
    ])
      expect(sameCredentials(pair, other)).toBe(false);
  });
});
