import type { Properties } from '@groupware/service-kit';
import type { WebClient } from '@groupware/outbound';
import { StorageSettings } from '../storage-settings';
import { WebDavKind } from './webdav-kind';

const settings = Object.assign(new StorageSettings(), { timeoutMs: 20_000 });
const kind = new WebDavKind({} as WebClient, settings, {} as Properties);
const split = (values: Record<string, unknown>) =>
  kind.splitConfiguration({ url: 'https://dav.example/', login: 'anna', password: 'secret', ...values });
const refusal = (values: Record<string, unknown>): unknown => {
  try {
    split(values);
    return undefined;
  } catch (error) {
    return error;
  }
};

describe('the configuration of a WebDAV storage', () => {
  it('keeps a timeout up to that of the server, and refuses a longer one', () => {
    expect(split({ timeout: 20_000 }).open).toMatchObject({ timeout: '20000' });
    for (const timeout of [20_001, 999, 1.5, 'soon'])
      expect(refusal({ timeout })).toMatchObject({ code: 'FILE_STORAGE-0018', params: ['timeout'] });
  });

  it('keeps a stored timeout after that of the server became shorter', () => {
    const stored = { url: 'https://dav.example/', login: 'anna', timeout: '60000' };
    expect(kind.splitConfiguration({ ...stored, password: 'secret' }, stored).open).toEqual(stored);
  });

  it('refuses control characters in login and password, and colons in the login (RFC 7617)', () => {
    for (const text of ['a\0b', 'a\nb', 'a\u007fb', 'a\u0085b'])
      for (const name of ['login', 'password'])
        expect(refusal({ [name]: text })).toMatchObject({ code: 'FILE_STORAGE-0018', params: [name] });
    expect(refusal({ login: 'a:b' })).toMatchObject({ code: 'FILE_STORAGE-0018', params: ['login'] });
    expect(split({ login: 'änna', password: 'pä:ss wörd' }).secret).toEqual({ password: 'pä:ss wörd' });
  });
});
