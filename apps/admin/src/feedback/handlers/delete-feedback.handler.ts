import { feedbackReports, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { FeedbackExport } from '../feedback-export';

/** Deletes entries. */
@Handles(feedbackReports.deleteFeedback)
export class DeleteFeedbackHandler implements Handler<typeof feedbackReports.deleteFeedback> {
  constructor(private readonly feedback: FeedbackExport) {}

  async handle({ query }: CallOf<typeof feedbackReports.deleteFeedback>) {
    const { type, contextGroup, start, end } = query;
    await this.feedback.deleteEntries(await this.feedback.parseSelection(query));
    return {
      successful: 'true',
      type,
      contextGroup,
      ...(start === undefined ? {} : { start }),
      ...(end === undefined ? {} : { end }),
    };
  }
}
