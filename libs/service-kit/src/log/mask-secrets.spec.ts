import { maskSecrets } from './mask-secrets';

const TOKEN = 'q3Yf0nM_sPZ-7uXw2LkJh8TgRbVcE5aDiO1mN4xQ9Zs';

describe('texts of logs', () => {
  it.each([
    ['a session', `session ${'0a'.repeat(16)} ended`, 'session 0a0a0a… ended'],
    ['a share', `/share/${'1b'.repeat(24)}/x`, '/share/1b1b1b…/x'],
    ['a set-up token', `/davclient/v1/config/${TOKEN}`, '/davclient/v1/config/q3Yf0n…'],
    [
      'a token that a path ends in',
      `No such path: /api/davclient/v1/config/${TOKEN}/.`,
      'No such path: /api/davclient/v1/config/q3Yf0n…/.',
    ],
    ['a token with others in one text', `${TOKEN} ${TOKEN}`, 'q3Yf0n… q3Yf0n…'],
  ])('show of %s the beginning', (_what, text, expected) => {
    expect(maskSecrets(text)).toBe(expected);
  });

  it.each([
    ['https://calendar.example/private-7f/basic.ics', 'https://calendar.example/…'],
    ['No feed at https://ann:secret@feeds.example:8443/x?key=secret.', 'No feed at https://feeds.example:8443/…'],
    ["'webcal://h/a' (http://[::1]:80/b)", "'webcal://h/…' (http://[::1]:80/…)"],
    ['http://h?key=secret', 'http://h/…'],
  ])('show of the address in %s the host', (text, expected) => {
    expect(maskSecrets(text)).toBe(expected);
  });

  it.each([
    'https://office.example',
    '/admin/v1/contexts/12/users/3/mail-accounts',
    '1f0e2d3c-4b5a-6978-8796-a5b4c3d2e1f0',
    'com.example.calendar.publishInternetFreeBusy',
    'a-very-long-name-of-something-in-many-words',
  ])('leave %s as it is', (text) => {
    expect(maskSecrets(text)).toBe(text);
  });
});
