import { allowCallers, defineModule, Field, internal, none, value } from '../kit';
import { OWN_MAILBOXES } from './mail.access';

/** Users of one context who look. */
export class MailWatchQuery {
  @Field.listOf('int', { doc: 'Users', maxItems: 1_000 }) users!: number[];
}

/** Listening for new mails of users who look: the edge tells for whom, and again while they do. */
export const mailWatch = defineModule(
  'mail-watch',
  {
    start: internal({
      access: OWN_MAILBOXES,
      calledBy: ['gateway'],
      doc: 'Listens for new mails of the user of the call, unless that is done already; push tells of them (ox:mail:new)',
      reply: none(),
      repeatable: true,
    }),
    extend: internal<MailWatchQuery, readonly number[]>({
      access: allowCallers('the edge names the users of its open streams; only whether they are listened for is told'),
      calledBy: ['gateway'],
      doc: 'Goes on for users who still look; answers those for whom nobody listens',
      query: MailWatchQuery,
      reply: value<readonly number[]>('users'),
      repeatable: true,
    }),
  },
  { service: 'mail' },
);
