import { DocumentData } from '../files/document.model';
import { Field } from '../kit';

/** Header of a mail that tells where the files are which go with it as a link. */
export class MailShareReferenceBody {
  @Field.text({ doc: 'Value of the header X-Svc-Share-Reference of the mail', minLength: 1, maxLength: 8192 })
  reference!: string;
}

/** Files that go with a mail as a link. */
export class MailShareReference {
  @Field.text({ doc: 'Token of the link' }) shareToken!: string;
  @Field.int({ doc: 'Context of the user who sent the files' }) contextId!: number;
  @Field.int({ doc: 'User who sent the files' }) userId!: number;
  @Field.list(() => DocumentData, { doc: 'The files as they are now' }) files!: DocumentData[];
  @Field.timestamp({ doc: 'When the link ends, ms UTC, as it was when the mail was sent', optional: true })
  expiration?: number;
  @Field.text({ doc: 'Pin of the link as it is now', optional: true }) password?: string;
}
