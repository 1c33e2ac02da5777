import { warnOfInsecureCookies } from './cookies';

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
