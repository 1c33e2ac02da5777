import { action, allowCallers, defineModule, Field, many, one, plain } from '../kit';
import { JobErrors } from './jobs.errors';

const OWN = allowCallers('jobs of the user of the session only');

/** Which job. */
export class JobQuery {
  @Field.text({ doc: 'Job', minLength: 1, maxLength: 64 }) id!: string;
}

/** A call that goes on without its request (`InfoJobData`). */
export class JobInfo {
  @Field.text({ doc: 'Job' }) id!: string;
  @Field.text({ doc: 'Module of the call' }) module!: string;
  @Field.text({ doc: 'Action of the call' }) action!: string;
  @Field.boolean({ doc: 'Whether its answer is there' }) done!: boolean;
}

/** Outcome of a cancellation. */
export class JobCancellation {
  @Field.boolean({ doc: 'False when the job was done already' }) success!: boolean;
}

const common = { access: OWN, http: 'GET', auth: 'session' } as const;

/**
 * Calls that took longer than their request: a write with `allow_enqueue=true` that is not done after a while is answered with
 * HTTP 202 and `{"data":{"job":"<id>"}}`, goes on, and its answer is kept for an hour. The gateway answers these itself.
 */
export const jobs = defineModule(
  'jobs',
  {
    all: action({ ...common, doc: 'The jobs of the user', reply: many(JobInfo) }),
    info: action({
      ...common,
      doc: 'One job',
      query: JobQuery,
      reply: one(JobInfo),
      errors: [JobErrors.notFound],
    }),
    get: action({
      ...common,
      doc: 'The answer of the call, once: the job is forgotten then. HTTP 202 with `{"data":{"job":"<id>"}}` while it is not there',
      query: JobQuery,
      reads: false,
      reply: plain<object>(undefined, { doc: 'What the call would have answered' }),
      errors: [JobErrors.notFound, JobErrors.interrupted],
    }),
    cancel: action({
      ...common,
      doc: 'Tells the service of a job to stop. It begins nothing further; what it is about to store may still be stored',
      query: JobQuery,
      reply: one(JobCancellation),
      reads: false,
      errors: [JobErrors.notFound],
    }),
  },
  { service: 'gateway' },
);
