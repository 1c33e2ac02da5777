import { feedbackReports, jsonText, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { FeedbackExport } from '../feedback-export';

/** Entries as JSON. */
@Handles(feedbackReports.exportFeedbackRaw)
export class ExportFeedbackRawHandler implements Handler<typeof feedbackReports.exportFeedbackRaw> {
  constructor(private readonly feedback: FeedbackExport) {}

  async handle({ query }: CallOf<typeof feedbackReports.exportFeedbackRaw>) {
    return jsonText(await this.feedback.exportJson(await this.feedback.parseSelection(query)));
  }
}
