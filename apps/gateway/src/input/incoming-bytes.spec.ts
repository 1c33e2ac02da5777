import type { UserPrincipal } from '@groupware/contracts';
import { IncomingBytes } from './incoming-bytes';

const user = (userId: number, contextId = 1) => ({ kind: 'user', contextId, userId }) as UserPrincipal;
const TOO_LARGE = expect.objectContaining({ code: 'UPL-0005' });

describe('bytes of uploads that belong to nothing yet', () => {
  const incoming = new IncomingBytes({ maxIncomingBytesPerUser: 10, maxIncomingBytes: 15 });

  it('count for their user and their context until their call ends', () => {
    const [first, second, third] = [incoming.open(user(1)), incoming.open(user(1)), incoming.open(user(2))];
    first.add(6);
    expect(() => second.add(5)).toThrow(TOO_LARGE);
    second.add(4);
    expect(() => third.add(6)).toThrow(TOO_LARGE);
    third.add(5);
    // Nobody else is affected.
    incoming.open(user(1, 2)).add(10);
    first.release();
    incoming.open(user(1)).add(6);
    second.release();
    second.release();
    third.release();
  });

  it('count for an administrator as for a context', () => {
    const master = incoming.open({ kind: 'master', login: 'm' });
    master.add(15);
    expect(() => master.add(1)).toThrow(TOO_LARGE);
    incoming.open({ kind: 'master', login: 'n' }).add(15);
    master.release();
    master.add(15);
  });
});
