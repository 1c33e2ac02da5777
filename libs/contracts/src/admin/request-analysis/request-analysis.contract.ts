import { defineModule, errorCatalog, Field, json, plain, rest } from '../../kit';
import { RequestErrors } from '../../edge/edge.errors';

const MAX_BODY_BYTES = 2 * 1024 * 1024;

/** Analysis of requests (prefix REQUEST_ANALYSIS). */
export const RequestAnalysisErrors = errorCatalog('REQUEST_ANALYSIS', {
  unknown: { number: 1, category: 'USER_INPUT', message: 'Nobody was found for the request.', http: 404 },
  missingBody: { number: 2, category: 'USER_INPUT', message: 'The body of the request is needed.', http: 422 },
});

/** A header of an analysed request. */
export class AnalysedHeader {
  @Field.text({ doc: 'Name, any case', minLength: 1, maxLength: 256 }) name!: string;
  @Field.text({ doc: 'Value' }) value!: string;
}

/** A request as a proxy got it. */
export class RequestData {
  @Field.text({ doc: 'HTTP method', minLength: 1, maxLength: 32 }) method!: string;
  @Field.text({ doc: 'Absolute URL', minLength: 1 }) url!: string;
  @Field.text({ doc: 'Address of the client', minLength: 1, maxLength: 128 }) remoteIP!: string;
  @Field.list(() => AnalysedHeader, { doc: 'Headers', maxItems: 500 }) headers!: AnalysedHeader[];
  @Field.text({ doc: 'Body in base64, where the analysis needs it', optional: true, maxLength: MAX_BODY_BYTES })
  body?: string;
}

/** Headers that a proxy may add to a request. */
export class AnalysisHeaders {
  @Field.int({ doc: 'Context id' }) 'x-svc-context-id'!: number;
  @Field.int({ doc: 'User id', optional: true }) 'x-svc-user-id'?: number;
  @Field.text({ doc: 'Login', optional: true }) 'x-svc-login'?: string;
}

/** Owner of a request. */
export class AnalysisResult {
  @Field.text({ doc: 'Base64 of {"schema": name of the shard}: the same for all contexts of a shard' }) marker!: string;
  @Field.object(() => AnalysisHeaders, {
    doc: 'Headers a proxy may add; absent where no user is known',
    optional: true,
  })
  headers?: AnalysisHeaders;
  @Field.text({ doc: 'SUCCESS' }) type!: string;
}

/** Tells proxies where requests belong. */
export const requestAnalysis = defineModule(
  'request-analysis',
  {
    analyzeRequest: rest({
      http: 'POST',
      path: '/request-analysis/v1/analyze',
      callers: ['service'],
      doc: 'Tells which shard, context and user a request belongs to, by its session, login, cookies or token. Changes nothing; wrong passwords count for the limits of logins. 404: nobody was found; 422: a login whose body was not sent',
      body: json(RequestData, { maxBytes: MAX_BODY_BYTES }),
      reply: plain<AnalysisResult>(AnalysisResult),
      idempotency: 'none',
      errors: [RequestAnalysisErrors.unknown, RequestAnalysisErrors.missingBody, RequestErrors.badBodyData],
    }),
  },
  { service: 'admin' },
);
