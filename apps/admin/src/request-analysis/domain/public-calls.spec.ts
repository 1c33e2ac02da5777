import { takesPublicSession } from './public-calls';

describe('the public session', () => {
  it.each([
    ['image/user/picture', undefined],
    ['image/mail/picture', undefined],
    ['halo/contact/picture', undefined],
    ['infostore', 'document'],
    ['files', 'document'],
    ['files/report.pdf', 'document'],
    ['capabilities', 'all'],
  ])('is enough for %s with action %s', (path, action) => expect(takesPublicSession(path, action)).toBe(true));

  it.each([
    ['', undefined],
    ['image', undefined],
    ['images', undefined],
    ['image/none', undefined],
    ['image/user/picture', 'get'],
    ['calendar', 'all'],
    ['files', 'list'],
    ['files', undefined],
    ['filestore', 'document'],
    ['capabilities/more', 'all'],
    ['contacts/picture', 'get'],
  ])('is not enough for %s with action %s', (path, action) => expect(takesPublicSession(path, action)).toBe(false));
});
