import { directory, sessionAdministration } from '@groupware/contracts';
import { MailOwners } from './mail-owners';

const OWNER = { contextId: 1, userId: 3 };

/** The directory knows user 3 of context 1, as ann@test.example and ann@one. */
function owners(mode: string) {
  const asked: string[] = [];
  const caller = {
    call: async (operation: unknown, { query }: { query: { mail?: string; login?: string } }) => {
      asked.push(String(query.mail ?? query.login));
      if (operation === directory.userOfLogin) return query.login === 'ann@one' ? OWNER : null;
      expect(operation).toBe(sessionAdministration.resolveMail);
      const known = query.mail!.split(';').filter((address) => /^(ann|a\.b)@test\.example$/.test(address));
      return Object.fromEntries(known.map((address) => [address, { uid: 3, cid: 1 }]));
    },
  };
  const entities = {
    getEntities: async () =>
      new Map([
        [3, { kind: 'user' }],
        [4, { kind: 'group' }],
      ]),
  };
  const properties = { serverValue: () => mode };
  return { asked, owners: new MailOwners(caller as never, entities as never, properties as never) };
}
const of = (mode: string, userName: string | null, recipients: string[] = []) =>
  owners(mode).owners.of({ userName, recipients });

describe('the owner of a pushed mail', () => {
  it.each<[string, string | null, string[], boolean]>([
    ['recipientOnly', '3@1', [], false],
    ['recipientOnly', null, ['ann@test.example', 'a.b@test.example', 'else@test.example'], true],
    ['synthetic', '3@1', [], true],
    ['synthetic', '4@1', [], false],
    ['synthetic', '5@1', [], false],
    ['synthetic', 'ann@one', ['ann@test.example'], false],
    ['synthetic', null, ['ann@test.example'], false],
    ['mailLogin', 'ann@test.example', [], true],
    ['mailLogin', '3@1', ['ann@test.example'], false],
    ['mailLogin', 'else;ann@test.example', [], false],
    ['mailLogin', null, [], false],
    ['loginInfo', 'ann@one', [], true],
    ['loginInfo', '3@1', ['ann@test.example'], false],
    ['loginInfo', null, [], false],
  ])('by %s: user %s, recipients %j', async (mode, userName, recipients, isFound) => {
    expect(await of(mode, userName, recipients)).toEqual(isFound ? [OWNER] : []);
  });

  it('is asked for in one question, in which no address becomes several', async () => {
    const { asked, owners: found } = owners('recipientOnly');
    await found.of({ userName: null, recipients: ['ann@test.example', 'x;ann@test.example', 'b@test.example'] });
    expect(asked).toEqual(['ann@test.example;b@test.example']);
  });
});
