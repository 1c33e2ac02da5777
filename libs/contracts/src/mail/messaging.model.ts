import { Field } from '../kit';

/** A field of the form with which users configure an account. */
export interface MessagingFormField {
  readonly widget: 'text' | 'checkbox' | 'password' | 'link' | 'oauthAccount' | 'custom';
  readonly name: string;
  readonly displayName: string;
  readonly mandatory: boolean;
}

/** A source of messages. */
export interface MessagingService {
  readonly id: string;
  readonly displayName: string;
  readonly formDescription: readonly MessagingFormField[];
  /** Names of actions on messages. */
  readonly messagingActions: readonly string[];
}

/** An account as clients send it; `new` chooses the id. */
export class MessagingAccountData {
  @Field.int({ doc: 'Account', optional: true, min: 0 }) id?: number;
  @Field.text({ doc: 'Messaging service', maxLength: 128, optional: true }) messagingService?: string;
  @Field.text({ doc: 'Name', maxLength: 255, optional: true }) displayName?: string;
  @Field.any({
    doc: 'Object with the fields of the form of the service. Feeds: url, http or https, without user name and password',
    optional: true,
  })
  configuration?: unknown;
}

/** An account as clients see it. */
export interface MessagingAccount {
  readonly id: number;
  readonly messagingService: string;
  readonly displayName: string;
  readonly configuration: Readonly<Record<string, unknown>>;
}

/** A message as clients see it. */
export interface MessagingMessage {
  readonly id: string;
  /** `<service>://<account>/<path>` */
  readonly folder: string;
  readonly threadLevel: number;
  /** Flags of mails (column 611). */
  readonly flags: number;
  /** ms UTC; null where it is not known. */
  readonly receivedDate: number | null;
  readonly colorLabel: number;
  readonly user: readonly string[];
  /** Bytes of the body. */
  readonly size: number;
  readonly picture: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, unknown>>;
  /** HTML that runs nothing. */
  readonly body: string;
}

/** Which service. */
export class MessagingServiceQuery {
  @Field.text({ doc: 'Messaging service', maxLength: 128 }) id!: string;
}

/** Accounts of which service. */
export class MessagingAccountsQuery {
  @Field.text({ doc: 'Messaging service; default: all', maxLength: 128, optional: true }) messagingService?: string;
}

/** Which account. */
export class MessagingAccountQuery {
  @Field.text({ doc: 'Messaging service', maxLength: 128 }) messagingService!: string;
  @Field.int({ doc: 'Account', min: 0 }) id!: number;
}

/** Columns of messages, by name. */
export class MessagingColumnsQuery {
  @Field.columns({
    doc: 'Names: id, folder, from, to, cc, bcc, headers, subject, body, contentType, size, sentDate, receivedDate, flags, threadLevel, dispositionNotificationTo, priority, colorLabel, url, picture, user',
  })
  columns!: string[];
}

/** Messages of a folder. */
export class MessagingMessagesQuery extends MessagingColumnsQuery {
  @Field.text({ doc: 'Folder: <service>://<account>/<path>', maxLength: 512 }) folder!: string;
  @Field.text({ doc: 'Name of a column; default: receivedDate', maxLength: 64, optional: true }) sort?: string;
  @Field.text({ doc: 'Default: the newest first', optional: true, values: ['asc', 'desc', 'ASC', 'DESC'] })
  order?: string;
}

/** A message of a folder. */
export class MessagingMessageQuery {
  @Field.text({ doc: 'Message', maxLength: 128 }) id!: string;
  @Field.text({ doc: 'Folder: <service>://<account>/<path>', maxLength: 512 }) folder!: string;
  @Field.boolean({ doc: 'Leave it unread; feeds know no read messages', optional: true }) peek?: boolean;
}

/** An action on messages. */
export class MessagingActionQuery {
  @Field.text({ doc: 'Action of the service', maxLength: 128 }) messageAction!: string;
  @Field.text({ doc: 'Message', maxLength: 128, optional: true }) id?: string;
  @Field.text({ doc: 'Folder of the message', maxLength: 512, optional: true }) folder?: string;
  @Field.int({ doc: 'Account, where no message is meant', min: 0, optional: true }) account?: number;
}

/** Recipients of a message. */
export class MessagingRecipientsQuery {
  @Field.text({ doc: 'Addresses; default: those of the headers', maxLength: 8192, optional: true }) recipients?: string;
}

/** A message that clients send. */
export class MessagingMessageData {
  @Field.text({ doc: 'Message', maxLength: 128, optional: true }) id?: string;
  @Field.text({ doc: 'Folder: <service>://<account>/<path>', maxLength: 512, optional: true }) folder?: string;
  @Field.any({ doc: 'Headers', optional: true }) headers?: unknown;
  @Field.any({ doc: 'Content', optional: true }) body?: unknown;
}
