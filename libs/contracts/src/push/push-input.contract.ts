import { defineModule, Field, json, plain, rest } from '../kit';

/** A mail server tells that a mail came in (`PushMessage`). Only the event `messageNew` has an effect. */
export class PushMessage {
  @Field.text({ doc: 'messageNew', optional: true }) event?: string | null;
  @Field.text({ doc: '<user id>@<context id>', optional: true }) user?: string | null;
  @Field.text({ doc: 'Folder', optional: true }) folder?: string | null;
  @Field.any({ doc: 'Id of the mail in its folder, text or number', name: 'imap-uid', optional: true })
  imapUid?: unknown;
  @Field.text({ doc: 'Sender; RFC 2047 words are decoded', optional: true }) from?: string | null;
  @Field.text({ doc: 'Subject; RFC 2047 words are decoded', optional: true }) subject?: string | null;
  @Field.int({ doc: 'Unread mails in the folder', optional: true }) unseen?: number | null;
  @Field.text({ doc: 'First words of the text', optional: true }) snippet?: string | null;
}

/** Outcome (`SuccessResponse`). */
export class SuccessResponse {
  @Field.boolean({ doc: 'true' }) success!: boolean;
}

/** What mail servers push. */
export const pushInput = defineModule(
  'push',
  {
    pushMessage: rest<object, PushMessage, SuccessResponse, 'basic'>({
      http: 'PUT',
      path: '/preliminary/http-notify/v1/notify',
      auth: 'basic',
      doc: 'Tells that a mail came in. What means nothing here (other events, unknown users) is a success too, so that mail servers never queue',
      body: json(PushMessage),
      reply: plain<SuccessResponse>(SuccessResponse),
      repeatable: true,
    }),
  },
  { service: 'push' },
);
