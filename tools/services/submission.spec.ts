import { createTransport } from 'nodemailer';
import { submission } from './submission.mjs';

const password = 'a password';
const logins = ['ann@demo.example', 'ben@demo.example'];
let delivered: string[] = [];
let said: string[] = [];
let entrance: Awaited<ReturnType<typeof submission>>;

beforeAll(async () => {
  entrance = await submission({
    ...{ host: '127.0.0.1', password, logins, senders: [] },
    deliver: async ({ to }) => {
      if (to.startsWith('ben')) throw new Error('a broken rule');
      delivered.push(to);
    },
    say: (text) => said.push(text),
  });
});
afterAll(() => entrance?.stop());
beforeEach(() => {
  delivered = [];
  said = [];
});

const send = (to: readonly string[]) =>
  createTransport({
    ...{ host: '127.0.0.1', port: entrance.port, secure: false, ignoreTLS: true },
    auth: { user: logins[0]!, pass: password },
  }).sendMail({ from: logins[0]!, to: [...to], subject: 'x', text: 'x' });

describe('the submission of mails of the demonstration', () => {
  it('takes a mail that some of its recipients have, and tells of the others', async () => {
    await send(['ben@demo.example', 'ann@demo.example']);
    expect(delivered).toEqual(['ann@demo.example']);
    expect(said).toEqual(['a mail could not be delivered to ben@demo.example: a broken rule']);
  });

  it('refuses a mail that nobody got, and one to another machine', async () => {
    await expect(send(['ben@demo.example'])).rejects.toMatchObject({ responseCode: 451 });
    await expect(send(['ann@elsewhere.example'])).rejects.toMatchObject({ responseCode: 550 });
    expect(delivered).toEqual([]);
  });
});
