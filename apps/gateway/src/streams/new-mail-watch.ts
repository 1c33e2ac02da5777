import { AsyncResource } from 'node:async_hooks';
import { isCatalogueError, mailWatch, RequestErrors, type UserPrincipal } from '@groupware/contracts';
import type { Caller } from '@groupware/messaging';

/** Users asked for in one call. */
const USERS_PER_CALL = 1_000;
/** Calls for single users at the same time: after a restart all clients come at once. */
const STARTING = 8;

/** Tells the mail service who looks, so that it listens for new mails of these users and of no others. */
export class NewMailWatch {
  /** Users to start, in their order; each once. */
  private readonly queue = new Map<string, UserPrincipal>();
  private running = 0;
  /** Users are started for many requests, of which none counts. */
  private readonly outside = new AsyncResource('NewMailWatch');

  constructor(
    private readonly caller: Pick<Caller, 'call'>,
    private readonly report: (error: unknown) => void,
  ) {}

  /** A user begins to look. */
  start(principal: UserPrincipal): void {
    if (!hasMail(principal)) return;
    this.queue.set(`${principal.contextId}:${principal.userId}`, principal);
    if (this.running < STARTING) this.outside.runInAsyncScope(() => void this.work());
  }

  /** Tells that users of a context still look; those for whom no service listens any more are started again. */
  async extend(contextId: number, principals: readonly UserPrincipal[]): Promise<void> {
    const looking = new Map(principals.filter(hasMail).map((principal) => [principal.userId, principal]));
    const users = [...looking.keys()];
    for (let at = 0; at < users.length; at += USERS_PER_CALL)
      try {
        const missing = await this.caller.call(mailWatch.extend, {
          principal: { kind: 'internal', service: 'gateway', contextId },
          query: { users: users.slice(at, at + USERS_PER_CALL) },
        });
        for (const user of missing) this.start(looking.get(user)!);
      } catch (error) {
        this.complain(error);
      }
  }

  private async work(): Promise<void> {
    this.running += 1;
    for (const [key, user] of this.queue) {
      this.queue.delete(key);
      try {
        const { contextId } = user;
        await this.caller.call(mailWatch.start, {
          principal: { kind: 'internal', service: 'gateway', contextId, user },
        });
      } catch (error) {
        this.complain(error);
      }
    }
    this.running -= 1;
  }

  /** An installation without the mail service is whole. */
  private complain(error: unknown): void {
    if (!isCatalogueError(error, RequestErrors.serviceUnavailable)) this.report(error);
  }
}

/** Guests have no mailboxes. */
const hasMail = ({ guest, capabilities }: UserPrincipal): boolean => !guest && capabilities.includes('webmail');
