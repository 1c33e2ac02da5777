import { mailWatch, RequestErrors, type UserPrincipal } from '@groupware/contracts';
import { ann } from '../testing/edge.harness';
import { NewMailWatch } from './new-mail-watch';

const user = (userId: number, more: Partial<UserPrincipal> = {}): UserPrincipal => ({
  ...ann,
  userId,
  capabilities: ['webmail'],
  ...more,
});
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** The mail service: answers one call after the other when it is told to. */
class FakeMail {
  readonly started: number[] = [];
  readonly open: (() => void)[] = [];
  readonly reported: unknown[] = [];
  missing: number[] = [];
  failure: Error | undefined;
  readonly watch = new NewMailWatch(
    {
      call: async (operation: unknown, call: any) => {
        if (this.failure) throw this.failure;
        if (operation === mailWatch.extend) return this.missing.filter((id) => call.query.users.includes(id));
        this.started.push(call.principal.user.userId);
        return new Promise<void>((resolve) => this.open.push(resolve));
      },
    } as never,
    (error) => this.reported.push(error),
  );
}

describe('the watch of new mails', () => {
  it('starts few users at the same time, each once, and the others afterwards', async () => {
    const mail = new FakeMail();
    for (let id = 1; id <= 50; id++) for (let time = 0; time < 2; time++) mail.watch.start(user(id));
    await settled();
    expect(mail.started.length).toBeLessThanOrEqual(8);
    while (mail.open.length > 0) {
      mail.open.shift()!();
      await settled();
    }
    expect(new Set(mail.started).size).toBe(50);
    expect(mail.started.length).toBeLessThan(60);
  });

  it('starts those anew for whom nobody listens, and nobody without mail', async () => {
    const mail = new FakeMail();
    mail.missing = [1, 3, 4];
    const looking = [user(1), user(2), user(3, { guest: true }), user(4, { capabilities: [] })];
    await mail.watch.extend(ann.contextId, looking);
    expect(mail.started).toEqual([1]);
  });

  it('is silent where there is no mail service, and reports what else goes wrong', async () => {
    const mail = new FakeMail();
    mail.failure = RequestErrors.serviceUnavailable('mail');
    await mail.watch.extend(ann.contextId, [user(1)]);
    mail.watch.start(user(1));
    await settled();
    expect(mail.reported).toEqual([]);
    mail.failure = new Error('no');
    await mail.watch.extend(ann.contextId, [user(1)]);
    expect(mail.reported).toEqual([mail.failure]);
  });
});
