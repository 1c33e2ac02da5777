import { action, allowCallers, defineModule, Field, one, PASSWORD_SCOPE, value } from '../kit';

const OPEN = allowCallers('tells nothing of any context but who calls');

/** Owner of a session. Ids are texts here, as the API has them. */
export class WhoAmI {
  @Field.text({ doc: 'Session id' }) session!: string;
  @Field.text({ doc: 'Login name' }) user!: string;
  @Field.text({ doc: 'User id' }) user_id!: string;
  @Field.text({ doc: 'Context id' }) context_id!: string;
  @Field.text({ doc: 'Locale of the session, such as en_US' }) locale!: string;
  @Field.boolean({ doc: 'A second factor is still needed', optional: true }) requires_multifactor?: boolean;
}

/** Signs of life. All other actions are refused as unknown (SVL-0021). */
export const system = defineModule(
  'system',
  {
    ping: action({
      access: OPEN,
      http: 'GET',
      auth: 'none',
      doc: 'Tells that the server answers',
      reply: value<boolean>('true'),
    }),
    time: action({
      access: OPEN,
      http: 'GET',
      auth: 'none',
      doc: 'Time of the server',
      reply: value<number>('ms UTC'),
    }),
    whoami: action({
      access: OPEN,
      appScopes: [PASSWORD_SCOPE],
      http: 'GET',
      auth: 'session',
      beforeSecondFactor: true,
      guests: true,
      doc: 'Whose session it is. Clients ask it when they find one of an earlier visit',
      reply: one(WhoAmI),
    }),
  },
  { service: 'identity' },
);
