import type { EventMessage, UserPrincipal } from '@groupware/contracts';
import { OutboxRelay, type ModuleDatabase } from '@groupware/persistence';
import { testDatabase, type TestDatabase } from '@groupware/test-kit';
import { migrations } from '../mail.parts';
import { SentMailNotice } from './sent-mail-notice';

let databases: TestDatabase;
let database: ModuleDatabase;
beforeAll(async () => {
  databases = await testDatabase({ mail: [...migrations] });
  database = await databases.of('mail');
}, 60_000);
afterAll(() => databases?.close());

const user: UserPrincipal = {
  kind: 'user',
  contextId: 7,
  userId: 3,
  groups: [],
  locale: 'en_US',
  timeZone: 'UTC',
  capabilities: [],
  login: 'ann',
  displayName: 'Ann',
  email: 'ann@x.example',
  sessionId: 's',
};

describe('notices of sent mails', () => {
  it('name each recipient once, by the first name that is told', async () => {
    await new SentMailNotice(database).publish(user, [
      [null, 'Bob@x.example'],
      ['Cee', 'cee@x.example'],
      ['Bob', 'bob@X.example'],
      ['Robert', 'bob@x.example'],
    ]);
    const sent: EventMessage[] = [];
    await new OutboxRelay({ database, publish: async (message) => void sent.push(message) }).drain();
    expect(sent).toMatchObject([
      {
        name: 'mail.sent',
        contextId: 7,
        payload: {
          userId: 3,
          recipients: [
            { address: 'bob@X.example', name: 'Bob' },
            { address: 'cee@x.example', name: 'Cee' },
          ],
        },
      },
    ]);
  });
});
