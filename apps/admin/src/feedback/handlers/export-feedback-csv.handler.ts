import {
  FEEDBACK_EXPORT_PREFIX,
  FeedbackErrors,
  feedbackReports,
  jsonText,
  reply,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { Clock, Handles, Properties } from '@groupware/service-kit';
import { DEFAULT_DELIMITER, createReportName } from '../domain/report-names';
import { FeedbackExport } from '../feedback-export';

/** Entries as a CSV file. */
@Handles(feedbackReports.exportFeedbackCsv)
export class ExportFeedbackCsvHandler implements Handler<typeof feedbackReports.exportFeedbackCsv> {
  constructor(
    private readonly feedback: FeedbackExport,
    private readonly properties: Properties,
    private readonly clock: Clock,
  ) {}

  async handle({ query }: CallOf<typeof feedbackReports.exportFeedbackCsv>) {
    const [delimiter = DEFAULT_DELIMITER] = [...(query.delimiter ?? '')];
    // Such a character would end a cell or a line in its middle.
    if (/["\r\n\p{C}]/u.test(delimiter)) throw FeedbackErrors.badParameter('delimiter', delimiter);
    const stream = await this.feedback.exportCsv(await this.feedback.parseSelection(query), delimiter);
    const name = createReportName(this.properties.serverValue(FEEDBACK_EXPORT_PREFIX), this.clock.now(), false);
    return reply<string>(jsonText(stream), { headers: { 'Content-Disposition': `attachment; filename="${name}"` } });
  }
}
