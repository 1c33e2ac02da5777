import type { DirectoryUser } from '@groupware/contracts';
import fc from 'fast-check';
import { formatAccountId, toAccountView, parseAccountId, type Grant } from './account-view';

const ann = { id: 3, name: 'ann', displayName: 'Ann', email: 'ann@example.com' } as DirectoryUser;
const grant = (parts: Partial<Grant>): Grant => ({
  type: 'folder',
  module: 'calendar',
  from: 7,
  owner: 3,
  folder: null,
  name: null,
  permissions: 1,
  defaultFolder: false,
  sendOnBehalf: false,
  ...parts,
});

describe('account ids', () => {
  it('are read as they are written', () => {
    const id = fc.integer({ min: 1, max: 2 ** 31 - 1 });
    fc.assert(
      fc.property(id, id, (user, context) => {
        expect(parseAccountId(formatAccountId({ user, context }))).toEqual({ user, context });
      }),
    );
  });

  it.each(['abc', '', '@', '1@', '@1', '0@1', '1@0', '01@1', '1@2@3', ' 1@2', '1.5@2', '-1@2', '2147483648@1', '1@x'])(
    'are not %j',
    (text) => expect(parseAccountId(text)).toBeUndefined(),
  );
});

describe('an account', () => {
  it('tells each module its folders and rights; those of groups add up', () => {
    const account = toAccountView(
      ann,
      [
        grant({ folder: '10', name: 'Diary', permissions: 1, defaultFolder: true }),
        grant({ folder: '10', name: 'Diary', permissions: 4 }),
        grant({ folder: '11', permissions: 2 }),
        grant({ type: 'deputy', module: 'mail', permissions: 8, sendOnBehalf: true }),
      ],
      { inContext: 1 },
    );
    expect(account).toEqual({
      accountId: '3@7',
      entityInfo: { identifier: '3@7', type: 'user', display_name: 'Ann', contact: { email1: 'ann@example.com' } },
      capabilities: ['calendar', 'mail', 'send_on_behalf'],
      moduleConfigurations: {
        calendar: {
          permissions: 7,
          folders: [
            { id: '10', name: 'Diary', permissions: 5 },
            { id: '11', name: '11', permissions: 2 },
          ],
          defaultFolder: '10',
        },
        mail: { permissions: 8, folders: [], primaryAddress: 'ann@example.com', login: 'ann', sendOnBehalf: true },
      },
    });
  });

  it('names the entity within the own context only', () => {
    expect(toAccountView(ann, [grant({})], { inContext: 7 }).entityInfo.entity).toBe(3);
    expect(toAccountView(ann, [grant({})], { inContext: 1 }).entityInfo.entity).toBeUndefined();
  });

  it('tells who the owner is, with the picture within the own context only', () => {
    const contact = { id: 3, title: 'Dr', givenName: 'Ann', surname: 'Lee', email: ann.email, imageChanged: 9 };
    const about = { contact, basePath: '/base' };
    const known = { title: 'Dr', first_name: 'Ann', last_name: 'Lee', email1: ann.email };
    expect(toAccountView(ann, [grant({})], { ...about, inContext: 1 }).entityInfo.contact).toEqual(known);
    expect(toAccountView(ann, [grant({})], { ...about, inContext: 7 }).entityInfo.contact).toEqual({
      ...known,
      image1_url: '/base/image/user/picture?id=3&timestamp=9',
    });
  });
});
