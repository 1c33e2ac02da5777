import { pushInput, type CallOf, type Handler, type SuccessResponse } from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { Handles, Logger } from '@groupware/service-kit';
import { newMailOf } from '../domain/new-mail';
import { readUserName } from '../domain/user-name';
import { NewMails } from '../new-mails';
import { countInput } from '../push.metrics';

const log = Logger.for('push');
const SUCCESS: SuccessResponse = { success: true };

/** Shortens a value for a log line: any client may have sent it. */
const brief = (value: unknown): string =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, 100);

/** `pushMessage`: a mail server tells that a mail came in. */
@Handles(pushInput.pushMessage)
export class PushMessageHandler implements Handler<typeof pushInput.pushMessage> {
  constructor(
    private readonly directory: Directory,
    private readonly mails: NewMails,
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
    countInput((await this.mails.tell(user, [mail])) > 0 ? 'told' : 'duplicate');
    return SUCCESS;
  }
}
