import { mailSending, type CallOf, type Handler, type MailData } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ReplyPreparation } from './reply.handler';

/** `replyall`: the answer to the author and all others, prepared. */
@Handles(mailSending.replyall)
export class ReplyAllHandler implements Handler<typeof mailSending.replyall> {
  constructor(private readonly replies: ReplyPreparation) {}

  handle(call: CallOf<typeof mailSending.replyall>): Promise<MailData> {
    return this.replies.prepareReply(call, call.query, true);
  }
}
