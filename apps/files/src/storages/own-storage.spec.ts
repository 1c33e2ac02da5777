import { toOwnAccount, toOwnService } from './own-storage';

describe('the own storage', () => {
  it('is named in the language of the user and has no form', () => {
    expect(toOwnService('de_DE')).toEqual({ id: 'com.example.infostore', displayName: 'Dateien', configuration: [] });
    expect(toOwnAccount('en_US')).toMatchObject({ displayName: 'Files', rootFolder: '9', isDefaultAccount: true });
  });
});
