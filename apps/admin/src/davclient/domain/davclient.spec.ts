import { XMLParser } from 'fast-xml-parser';
import { parseDeviceName } from './device-name';
import { computeEntityTag, matchesEntityTag } from './entity-tag';
import { isDisplayableImage } from './image';
import { createProfile, type ProfileFacts } from './profile';

describe('an entity tag', () => {
  const tag = computeEntityTag('text');

  it('is quoted and stands for the text', () => {
    expect(tag).toMatch(/^"[\w-]{43}"$/);
    expect(computeEntityTag('text')).toBe(tag);
    expect(computeEntityTag('other')).not.toBe(tag);
  });

  it.each([tag, `W/${tag}`, `"a", ${tag} ,"b"`, '*', ' * '])('is named by %s', (header) => {
    expect(matchesEntityTag(header, tag)).toBe(true);
  });

  it.each([undefined, '', '"a"', tag.slice(1, -1), `"a" ${tag}`])('is not named by %s', (header) => {
    expect(matchesEntityTag(header, tag)).toBe(false);
  });
});

describe('the name of a device', () => {
  it.each([
    ['DAVx5/4.3 (dav4jvm; okhttp)', 'DAVx5'],
    ['iOS/17.1 (21B74) dataaccessd/1.0', 'iOS'],
    ['', 'DAV client'],
    ['<b>x', 'DAV client'],
    ['x'.repeat(500), 'x'.repeat(64)],
  ])('of %s is %s', (userAgent, name) => {
    expect(parseDeviceName(userAgent)).toBe(name);
  });
});

describe('an image', () => {
  it('is an https: address or data of bounded length', () => {
    for (const text of ['https://x.example/logo.png', 'data:image/png;base64,AAAA', 'data:image/svg+xml,x'])
      expect(isDisplayableImage(text)).toBe(true);
    for (const text of [
      'http://x.example/logo.png',
      'javascript:alert(1)',
      'data:text/html,x',
      'https://x y',
      `data:image/png;base64,${'A'.repeat(262_144)}`,
    ])
      expect(isDisplayableImage(text)).toBe(false);
  });
});

describe('a profile', () => {
  const facts: ProfileFacts = {
    type: 'dav',
    host: 'groupware.example:8443',
    login: 'ann@7',
    displayName: 'Änn <"&">\u0000',
    email: 'ann@example.com',
    product: 'Office & more',
  };
  const parse = (text: string) => new XMLParser().parse(text).plist.dict;

  it('is XML that holds what it was made of', () => {
    const text = createProfile(facts);
    expect(text).toContain(
      '<key>CalDAVHostName</key><string>groupware.example</string><key>CalDAVPort</key><integer>8443</integer>',
    );
    expect(text).toContain('<key>CardDAVUsername</key><string>ann@7</string>');
    expect(text).not.toContain('Password');
    const { string, array } = parse(text);
    expect(array.dict).toHaveLength(2);
    expect(string).toContain('Office &amp; more'.replace('&amp;', '&'));
    expect(string).toContain('Änn <"&"> <ann@example.com>');
  });

  it('sets up what is asked for, over HTTPS, and replaces itself', () => {
    const text = createProfile({ ...facts, type: 'caldav', host: 'groupware.example' });
    expect(text).toContain('<key>CalDAVPort</key><integer>443</integer>');
    expect(text).not.toContain('CardDAV');
    expect(createProfile({ ...facts, type: 'carddav' })).not.toContain('CalDAV');
    expect(createProfile(facts)).toBe(createProfile(facts));
    const uuids = [
      ...`${createProfile(facts)}${createProfile({ ...facts, login: 'bob@7' })}`.matchAll(
        /UUID<\/key><string>([^<]*)/g,
      ),
    ];
    expect(new Set(uuids.map(([, uuid]) => uuid)).size).toBe(6);
    for (const [, uuid] of uuids)
      expect(uuid).toMatch(/^[0-9A-F]{8}-[0-9A-F]{4}-8[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}$/);
  });
});
