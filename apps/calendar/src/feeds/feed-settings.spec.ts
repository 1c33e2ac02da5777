import { parseFeedSettings } from './feed-settings';

describe('settings of calendars of the web', () => {
  it('are taken as clients send them', () => {
    const uri = 'https://a.example/x.ics';
    expect(parseFeedSettings({ uri, refreshInterval: '60', enabled: true })).toEqual({ uri, refreshInterval: 60 });
    expect(parseFeedSettings({ login: null, refreshInterval: null })).toEqual({ refreshInterval: null });
  });

  it.each([
    { uri: 7 },
    { uri: 'x'.repeat(4097) },
    { login: {} },
    { password: [] },
    { refreshInterval: 0 },
    { refreshInterval: 1.5 },
    { refreshInterval: 'often' },
  ])('%j is refused', (config) => {
    expect(() => parseFeedSettings(config)).toThrow(expect.objectContaining({ code: 'ICAL-PROV-4045' }));
  });
});
