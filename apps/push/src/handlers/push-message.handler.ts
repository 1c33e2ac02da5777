import {
  mailEvents,
  pushInput,
  TOPICS,
  type CallOf,
  type Handler,
  type NewMail,
  type SuccessResponse,
} from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Handles, Logger } from '@groupware/service-kit';
import { newMailOf } from '../domain/new-mail';
import { readUserName } from '../domain/user-name';
import { Outlet } from '../outlet';
import { NoticeRepository } from '../persistence/notice.repository';
import { PushConfig } from '../push.config';
import { countInput } from '../push.metrics';

const log = Logger.for('push');
const SUCCESS: SuccessResponse = { success: true };

/** What a log line shows of a value that anybody may have sent. */
const brief = (value: unknown): string =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, 100);

/** `pushMessage`: a mail server tells that a mail came in. */
@Handles(pushInput.pushMessage)
export class PushMessageHandler implements Handler<typeof pushInput.pushMessage> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly notices: NoticeRepository,
    private readonly directory: Directory,
    private readonly outlet: Outlet,
    private readonly clock: Clock,
    private readonly config: PushConfig,
  ) {}

  async handle({ body }: CallOf<typeof pushInput.pushMessage>): Promise<SuccessResponse> {
    const user = readUserName(body.user);
    const mail = newMailOf(body);
    if (body.event !== 'messageNew' || !user || !mail) {
      log.info({ event: brief(body.event), user: brief(body.user) }, 'pushed message means nothing here');
      countInput('ignored');
      return SUCCESS;
    }
    const known = (await this.directory.getEntities(user, [user.userId])).get(user.userId);
    if (known?.kind !== 'user') {
      log.info({ context: user.contextId, user: user.userId }, 'pushed message for an unknown user');
      countInput('unknownUser');
      return SUCCESS;
    }
    countInput((await this.tell(user, mail)) ? 'told' : 'duplicate');
    return SUCCESS;
  }

  private tell(user: { contextId: number; userId: number }, mail: NewMail): Promise<boolean> {
    const now = this.clock.now();
    return this.database.transact(user, async (tx) => {
      const isNew = await this.notices.noteMail(
        tx,
        user.userId,
        `${mail.folder} ${mail.id}`,
        now,
        now - this.config.dedupeMs,
      );
      if (!isNew) return false;
      await tx.publish(mailEvents.new, { userId: user.userId, ...mail });
      await this.outlet.tell(tx, [{ users: [user.userId], topic: TOPICS.newMail, data: mail }]);
      return true;
    });
  }
}
