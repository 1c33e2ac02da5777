import { detectDevice } from './device';

describe('deviceOf', () => {
  it.each([
    [
      'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0',
      'Firefox 130, Linux',
      { name: 'Linux' },
      'desktop',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36 Edg/120.0.1',
      'Edge 120, Windows',
      { name: 'Windows', version: '10.0' },
      'desktop',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1',
      'Safari 17, iOS',
      { name: 'iOS', version: '17.4' },
      'smartphone',
    ],
    [
      'Mozilla/5.0 (Linux; Android 14; SM-X200) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/121.0.0.0 Safari/537.36',
      'Chrome 121, Android',
      { name: 'Android', version: '14' },
      'tablet',
    ],
  ])('recognises %s', (agent, displayName, os, type) => {
    expect(detectDevice('web', agent)).toMatchObject({ displayName, os, type, client: { type: 'browser' } });
  });

  it('tells synchronisation clients and apps by their ids', () => {
    expect(detectDevice('CALDAV', 'DAVx5/4.3').client).toMatchObject({ name: 'DAVx5', version: '4', type: 'dav' });
    expect(detectDevice('USM-EAS', 'Apple-iPhone/1').client.type).toBe('eas');
    expect(detectDevice('svc-mobile-app', 'MobileApp/2.1').client).toMatchObject({ name: 'MobileApp', type: 'oxapp' });
    expect(detectDevice('', '')).toMatchObject({ displayName: 'Unknown', type: 'other', client: { type: 'other' } });
  });

  it('looks at the beginning of long user agents only', () => {
    const { displayName, info } = detectDevice('web', `Version/${'1.'.repeat(500_000)} Safari/1`);
    expect([displayName, info.length]).toEqual(['Version 1', 1_024]);
  });
});
