import { Logger } from '@groupware/service-kit';
import {
  expectNoHash,
  expectNoSecretInLogs,
  keepFieldsOutOfLogs,
  keepOutOfLogs,
  searchLater,
  watchLogs,
} from './secrets';

const log = Logger.for('gateway.access');

describe('the search of logs', () => {
  beforeAll(() => watchLogs());

  it('finds a secret of a request, also as part of a URL, and says where without telling it', () => {
    keepFieldsOutOfLogs({ users: [{ name: 'somebody', password: 'correct horse 77' }] });
    log.info({ path: '/login?password=correct+horse+77' }, 'served');
    expect(() => expectNoSecretInLogs()).toThrow(/password=\(SECRET\).*served/);
    expect(() => expectNoSecretInLogs()).not.toThrow();
  });

  it('finds the hash of a password in logs, events and answers, and what was noted by itself', () => {
    log.info({ was: '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$aaaa' }, 'read');
    expect(() => expectNoSecretInLogs()).toThrow('argon2id');
    keepOutOfLogs('0123456789abcdef0123456789abcdef');
    searchLater('{"event":"0123456789abcdef0123456789abcdef"}\n');
    expect(() => expectNoSecretInLogs()).toThrow('(SECRET)');
    expectNoHash('{"password":"$2b$10$abcdefghijklmnopqrstuv"}');
    expect(() => expectNoSecretInLogs()).toThrow('an answer');
  });

  it('leaves names, short texts and other lines alone', () => {
    keepFieldsOutOfLogs({ name: 'somebody else', session_length: 'not so secret', secret_code: '123456' });
    log.info({ user: 'somebody else', code: '123456', note: 'not so secret' }, 'fine');
    expect(() => expectNoSecretInLogs()).not.toThrow();
  });
});
