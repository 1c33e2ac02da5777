import { defineModule, Field, json, none, plain, rest, stored } from '../kit';
import { PushErrors } from './push.errors';
import { PUSHED_MAIL_MAX_BYTES } from './push.properties';

/**
 * A mail server tells that a mail came in (`PushMessage`). Only the event `messageNew` has an effect. Members of other types
 * count as absent: a mail server that is refused comes again and again.
 */
export class PushMessage {
  @Field.any({ doc: 'Text: messageNew', optional: true }) event?: unknown;
  @Field.any({ doc: 'Text: <user id>@<context id>', optional: true }) user?: unknown;
  @Field.any({ doc: 'Text: folder', optional: true }) folder?: unknown;
  @Field.any({ doc: 'Id of the mail in its folder, text or number', name: 'imap-uid', optional: true })
  imapUid?: unknown;
  @Field.any({ doc: 'Text: sender; RFC 2047 words are decoded', optional: true }) from?: unknown;
  @Field.any({ doc: 'Text: subject; RFC 2047 words are decoded', optional: true }) subject?: unknown;
  @Field.any({ doc: 'Number of unread mails in the folder', optional: true }) unseen?: unknown;
  @Field.any({ doc: 'Text: first words of the mail', optional: true }) snippet?: unknown;
}

/** A mail server hands over a whole mail, for what it says about appointments (`PushMail`). */
export class PushMail {
  @Field.text({ doc: 'messageNew, or nothing', optional: true }) event?: string | null;
  @Field.text({
    doc: 'Whose mail it is, in the form that com.example.calendar.pushedIMipResolveMode names',
    optional: true,
  })
  user?: string | null;
  @Field.text({ doc: 'Folder' }) folder!: string;
  @Field.text({ doc: 'The mail as text (RFC 822)' }) body!: string;
}

/** Outcome (`SuccessResponse`). */
export class SuccessResponse {
  @Field.boolean({ doc: 'true' }) success!: boolean;
}

/** Notices and mails that mail servers push. */
export const pushInput = defineModule(
  'push',
  {
    pushMessage: rest<object, PushMessage, SuccessResponse>({
      http: 'PUT',
      path: '/preliminary/http-notify/v1/notify',
      callers: ['service'],
      doc: 'Tells that a mail came in. What means nothing here (other events, unknown users) is a success too, so that mail servers never queue',
      body: json(PushMessage),
      reply: plain<SuccessResponse>(SuccessResponse),
      repeatable: true,
    }),
    pushMail: rest<object, undefined, undefined>({
      http: 'PUT',
      path: '/chronos/v1/itip/pushmail',
      callers: ['service'],
      doc: 'Takes a mail with a scheduling message (RFC 6047). The answer comes when it is queued; calendars change afterwards',
      body: stored(PushMail, { limit: PUSHED_MAIL_MAX_BYTES }),
      reply: none(),
      repeatable: true,
      deadlineMs: 120_000,
      errors: [PushErrors.badMail],
    }),
  },
  { service: 'push' },
);
