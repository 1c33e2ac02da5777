import {
  FEEDBACK_MAX_RECIPIENTS,
  FeedbackErrors,
  feedbackReports,
  RequestErrors,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { Handles, Properties } from '@groupware/service-kit';
import { FeedbackExport } from '../feedback-export';
import { FeedbackMailer } from '../mail/feedback-mailer';

/** Sends entries by mail. */
@Handles(feedbackReports.sendFeedback)
export class SendFeedbackHandler implements Handler<typeof feedbackReports.sendFeedback> {
  constructor(
    private readonly feedback: FeedbackExport,
    private readonly mailer: FeedbackMailer,
    private readonly properties: Properties,
  ) {}

  async handle({ query, body }: CallOf<typeof feedbackReports.sendFeedback>) {
    const most = this.properties.serverValue(FEEDBACK_MAX_RECIPIENTS);
    if (body.recipients.length > most) throw RequestErrors.badBodyData(`more than ${most} recipients`);
    if (body.recipients.length === 0) throw FeedbackErrors.invalidAddresses('none');
    return this.mailer.sendReport(await this.feedback.parseSelection(query), body, query);
  }
}
