import { action, allowCallers, defineModule, Field, jsonList, plain } from '../kit';
import { RequestErrors } from './edge.errors';

/** Parameters of a batch. */
export class MultipleQuery {
  @Field.boolean({ doc: 'Go on after a call that failed; default true', optional: true }) continue?: boolean;
}

/** One call of a batch; members not named here are its query parameters. */
export class SingleRequest {
  @Field.text({ doc: 'Module of the call' }) module!: string;
  @Field.text({ doc: 'Action of the call', optional: true }) action?: string;
  @Field.any({ doc: 'What the request body of the call would be', optional: true }) data?: unknown;
}

/** Several module calls in one request. The gateway answers it itself: it only takes the calls apart. */
export const multiple = defineModule(
  'multiple',
  {
    process: action({
      access: allowCallers('each call of the batch is checked by itself'),
      appScopes: 'any',
      http: 'PUT',
      action: null,
      guests: true,
      doc: 'Runs several calls and answers a bare array of their envelopes in the same order. Writes run in order, each one alone; reads between them side by side. At most GATEWAY_MAX_MULTIPLE calls (SVL-0010) in a body of GATEWAY_MAX_BODY_BYTES; reads whose answers would make more than GATEWAY_MAX_MULTIPLE_BYTES are answered with SVL-0038',
      query: MultipleQuery,
      body: jsonList(SingleRequest),
      reply: plain<object[]>(undefined, { doc: 'Array of envelopes, one per call' }),
      errors: [RequestErrors.badRequest, RequestErrors.badParameter, RequestErrors.batchTooLarge],
    }),
  },
  { service: 'gateway' },
);
