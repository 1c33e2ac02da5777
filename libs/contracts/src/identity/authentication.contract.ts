import { defineModule, Field, internal, value } from '../kit';
import { RequestErrors } from '../edge/edge.errors';

/** Credentials of a context administrator as HTTP Basic sent them. */
export class AdministratorCredentials {
  @Field.int({ doc: 'Context of the path', min: 1 }) contextId!: number;
  @Field.text({ doc: 'Login name of the administrator within the context', maxLength: 1024 }) login!: string;
  @Field.text({ doc: 'Password', maxLength: 4096, writeOnly: true }) password!: string;
  @Field.text({ doc: 'Address of the client, for the limit of failed attempts', maxLength: 128 })
  remoteAddress!: string;
}

/** Outcome of a check of administrator credentials. */
export interface AdministratorCheck {
  /** False also for unknown and disabled contexts: nobody learns which contexts exist. */
  readonly accepted: boolean;
  readonly userId?: number;
}

/** Checks of credentials for the REST edge, answered by the identity service. */
export const authentication = defineModule(
  'authentication',
  {
    contextAdmin: internal({
      doc: 'Tells whether login and password are those of the administrator of the context. Too many failures per address and context: SVL-0019 with Retry-After',
      query: AdministratorCredentials,
      reply: value<AdministratorCheck>('outcome'),
      repeatable: true,
      errors: [RequestErrors.tooManyRequests],
    }),
  },
  { service: 'identity' },
);
