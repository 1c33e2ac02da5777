import {
  action,
  allowCallers,
  defineModule,
  Field,
  json,
  jsonValue,
  type Model,
  none,
  PASSWORD_SCOPE,
  plain,
  rest,
  text,
} from '../../kit';
import { RequestErrors } from '../../edge/edge.errors';
import { FeedbackErrors } from './feedback.errors';
import { FeedbackDeleteResult, FeedbackMailRequest, FeedbackRecord, FeedbackSendResult } from './feedback.model';

/** Kind of feedback that a client sends. */
export class FeedbackStoreQuery {
  @Field.text({ doc: 'star-rating-v1 or nps-v1', maxLength: 64 }) type!: string;
}

/** Feedback of users. */
export const userFeedback = defineModule(
  'userfeedback',
  {
    store: action({
      access: allowCallers('stores what the user of the session says'),
      auth: 'session',
      appScopes: [PASSWORD_SCOPE],
      capability: 'feedback',
      http: 'PUT',
      doc: 'Stores feedback: an object with score, questionid (nps-v1), comment, app, entry_point, operating_system, browser, browser_version, user_agent, screen_resolution, language, client_version. Unknown keys are dropped, long values are cut',
      query: FeedbackStoreQuery,
      body: jsonValue<unknown>(),
      reply: none(),
      errors: [
        FeedbackErrors.unknownType,
        FeedbackErrors.invalidContent,
        FeedbackErrors.noDatabase,
        RequestErrors.badParameter,
      ],
    }),
  },
  { service: 'admin' },
);

/** Places `{context-group}` and `{type}`. */
export class FeedbackPath {
  @Field.text({ doc: 'Context group, such as default', name: 'context-group', maxLength: 256 }) contextGroup!: string;
  @Field.text({ doc: 'star-rating-v1 or nps-v1', maxLength: 256 }) type!: string;
}

/** Which entries. */
export class FeedbackRangeQuery {
  @Field.int({
    doc: 'Entries after this, ms UTC, exclusive; 0: all',
    optional: true,
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
  })
  start?: number;
  @Field.int({
    doc: 'Entries before this, ms UTC, exclusive; 0: all',
    optional: true,
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
  })
  end?: number;
}

/** Which entries, and how to write them. */
export class FeedbackCsvQuery extends FeedbackRangeQuery {
  @Field.text({ doc: 'The first character separates cells; default ;', optional: true, maxLength: 64 })
  delimiter?: string;
}

const common = { callers: ['service'], params: FeedbackPath, badParameter: FeedbackErrors.badParameter } as const;
const range = FeedbackRangeQuery as Model<FeedbackRangeQuery & FeedbackPath>;
const refusals = [
  FeedbackErrors.unknownType,
  FeedbackErrors.unknownGroup,
  FeedbackErrors.badParameter,
  FeedbackErrors.noDatabase,
];
const DEADLINE_MS = 600_000;

/** Feedback for operators. */
export const feedbackReports = defineModule(
  'userfeedback-reports',
  {
    exportFeedbackRaw: rest<FeedbackRangeQuery & FeedbackPath, undefined, FeedbackRecord[]>({
      ...common,
      http: 'GET',
      path: '/userfeedback/v1/export/{context-group}/{type}/raw',
      doc: 'Entries in the order of their dates, streamed',
      query: range,
      reply: plain<FeedbackRecord[]>(FeedbackRecord, { list: true }),
      deadlineMs: DEADLINE_MS,
      errors: refusals,
    }),
    exportFeedbackCsv: rest<FeedbackCsvQuery & FeedbackPath, undefined, string>({
      ...common,
      http: 'GET',
      path: '/userfeedback/v1/export/{context-group}/{type}',
      doc: 'Entries as CSV (UTF-8 with byte order mark, CRLF, every cell quoted, cells that spreadsheets would run are guarded), streamed',
      query: FeedbackCsvQuery as Model<FeedbackCsvQuery & FeedbackPath>,
      reply: text('application/octet-stream'),
      deadlineMs: DEADLINE_MS,
      errors: refusals,
    }),
    sendFeedback: rest<FeedbackRangeQuery & FeedbackPath, FeedbackMailRequest, FeedbackSendResult>({
      ...common,
      http: 'POST',
      path: '/userfeedback/v1/send/{context-group}/{type}',
      idempotency: 'none',
      doc: 'Sends the CSV as attachment, a mail for each recipient: signed where a key is configured, encrypted for recipients with a PGP key',
      query: range,
      body: json(FeedbackMailRequest),
      reply: plain<FeedbackSendResult>(FeedbackSendResult),
      deadlineMs: DEADLINE_MS,
      errors: [
        ...refusals,
        FeedbackErrors.invalidAddresses,
        FeedbackErrors.invalidKeys,
        FeedbackErrors.mailServer,
        FeedbackErrors.signingKey,
        FeedbackErrors.tooLarge,
      ],
    }),
    deleteFeedback: rest<FeedbackRangeQuery & FeedbackPath, undefined, FeedbackDeleteResult>({
      ...common,
      http: 'DELETE',
      path: '/userfeedback/v1/{context-group}/{type}',
      doc: 'Deletes entries',
      query: range,
      reply: plain<FeedbackDeleteResult>(FeedbackDeleteResult),
      repeatable: true,
      deadlineMs: DEADLINE_MS,
      errors: refusals,
    }),
  },
  { service: 'admin' },
);
