import { allowCallers, defineModule, Field, internal, none } from '../kit';

/** A mail that came in. */
export class ArrivedMail {
  @Field.text({ doc: 'Full name of the folder: default0/INBOX' }) folder!: string;
  @Field.text({ doc: 'Id of the mail in its folder' }) id!: string;
  @Field.text({ doc: 'Address of the sender', optional: true }) email?: string;
  @Field.text({ doc: 'Name of the sender', optional: true }) displayname?: string;
  @Field.text({ doc: 'Subject', optional: true }) subject?: string;
  @Field.int({ doc: 'Unread mails in the folder', optional: true, min: 0 }) unread?: number;
  @Field.text({ doc: 'First words of the text', optional: true }) teaser?: string;
}

/** Mails of one user. */
export class ArrivedMailsQuery {
  @Field.int({ doc: 'User', min: 1 }) user!: number;
  @Field.list(() => ArrivedMail, { doc: 'Mails in the order in which they came', maxItems: 100 })
  mails!: ArrivedMail[];
}

/** Mails that other modules saw arrive. */
export const pushMails = defineModule(
  'push-mails',
  {
    tell: internal<ArrivedMailsQuery>({
      access: allowCallers('the mail service names the user whose mailbox it listens to'),
      calledBy: ['mail'],
      doc: 'Tells a user that mails came in, each once',
      query: ArrivedMailsQuery,
      reply: none(),
      repeatable: true,
    }),
  },
  { service: 'push' },
);
