import { FEED_SERVICE, parseConfiguration, parseMessagingFolder, toFeedFolder } from './messaging-service';

describe('configurations of feeds', () => {
  it('have an address of the web', () => {
    expect(parseConfiguration({ url: 'https://news.test/a?b=c', other: 1 })).toEqual({
      url: 'https://news.test/a?b=c',
    });
  });

  it.each([undefined, null, 5, 'https://news.test', {}, { url: '' }, { url: null }])(
    'lack one: %j',
    (configuration) => {
      expect(() => parseConfiguration(configuration)).toThrow(expect.objectContaining({ code: 'MESSAGING-0016' }));
    },
  );

  it.each([
    1,
    {},
    'news.test',
    'ftp://news.test/',
    'file:///etc/passwd',
    'https://ann:secret@news.test/',
    'https://ann@x.test/',
  ])('have none that is fetched or stored: %j', (url) =>
    expect(() => parseConfiguration({ url })).toThrow(expect.objectContaining({ code: 'MESSAGING-0017' })),
  );

  it('are bounded', () => {
    const url = `https://news.test/${'a'.repeat(2_100)}`;
    expect(() => parseConfiguration({ url })).toThrow(expect.objectContaining({ code: 'MESSAGING-0017' }));
  });
});

describe('folders of messages', () => {
  it('name service and account', () => {
    expect(parseMessagingFolder(toFeedFolder(7))).toEqual({ service: FEED_SERVICE, account: 7 });
    expect(parseMessagingFolder(toFeedFolder(7).slice(0, -1))).toEqual({ service: FEED_SERVICE, account: 7 });
  });

  it.each([
    '',
    '7',
    '://7/',
    'com.example.messaging.rss://',
    'com.example.messaging.rss://-1/',
    'com.example.messaging.rss://7/a',
  ])('are none: %j', (text) =>
    expect(() => parseMessagingFolder(text)).toThrow(expect.objectContaining({ code: 'MESSAGING-0007' })),
  );

  it('are of services that there are', () => {
    expect(() => parseMessagingFolder('twitter://7/')).toThrow(expect.objectContaining({ code: 'MESSAGING-0015' }));
  });
});
