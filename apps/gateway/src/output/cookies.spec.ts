import type { EdgeSettings } from '../edge/settings';
import { cookieLine, warnOfInsecureCookies } from './cookies';

describe('cookieLine', () => {
  it.each([
    ['auto', true, true],
    ['auto', false, false],
    ['always', false, true],
    ['never', true, false],
  ] as const)(
    '%s, where a trusted proxy or the connection says TLS: %s, makes it Secure: %s',
    (security, tls, secure) => {
      const settings = { cookieSecurity: security, cookieSameSite: 'Lax' } as EdgeSettings;
      expect(cookieLine({ name: 'a', value: 'b' }, settings, tls)!.includes('; Secure;')).toBe(secure);
    },
  );
});

describe('warnOfInsecureCookies', () => {
  it.each([
    ['auto', false, 1],
    ['auto', true, 0],
    ['always', false, 0],
    ['never', false, 0],
  ] as const)('%s, with proxies %s: %s', (security, hasProxies, count) => {
    const warn = jest.fn();
    warnOfInsecureCookies(security, hasProxies, { warn });
    expect(warn).toHaveBeenCalledTimes(count);
  });
});
