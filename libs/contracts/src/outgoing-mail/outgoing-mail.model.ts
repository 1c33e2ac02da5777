import { Field } from '../kit';

/**
 * State of a mail. `queued` waits for its first attempt, `temporary` was refused for now and waits for the next one,
 * `transferring` is on its way to the server, `notConfigured` waits for a mail server. The others are final: `sent` was taken
 * over by the server, `refused` was not, and of `unknown` it cannot be told: it is never sent again.
 */
export const MAIL_STATES = [
  'queued',
  'temporary',
  'transferring',
  'notConfigured',
  'sent',
  'refused',
  'unknown',
] as const;
/** See {@link MAIL_STATES}. */
export type MailState = (typeof MAIL_STATES)[number];

/**
 * Templates of mails. `shareLink`: the address of a link; `guestInvitation`: a guest may open a folder; `guestPassword`: a guest may choose a new password; `folderShared`, `documentShared`: a
 * user or group got permissions on a folder or a document; those of events: an organizer invites, changes or cancels, an attendee answers, delegates or proposes a change, an alarm
 * reminds its user; those of tasks: a user asks others to take part, changes or ends a task, a participant answers.
 */
export const MAIL_TEMPLATES = [
  'shareLink',
  'guestInvitation',
  'guestPassword',
  'folderShared',
  'documentShared',
  'eventInvitation',
  'eventUpdate',
  'eventCancellation',
  'eventAccepted',
  'eventTentative',
  'eventDeclined',
  'eventDelegated',
  'eventDelegation',
  'eventCounter',
  'eventCounterDeclined',
  'eventReminder',
  'taskGiven',
  'taskUpdate',
  'taskEnd',
  'taskAccepted',
  'taskTentative',
  'taskDeclined',
] as const;
/** See {@link MAIL_TEMPLATES}. */
export type MailTemplate = (typeof MAIL_TEMPLATES)[number];

/** Kinds of what is shared: a folder of a module, or a document. Folders of mails have neither links nor guests. */
export const SHARED_KINDS = ['calendar', 'contacts', 'tasks', 'infostore', 'mail', 'document'] as const;
/** See {@link SHARED_KINDS}. */
export type SharedKind = (typeof SHARED_KINDS)[number];

/** Values of a template, each where the template has a place for it. */
export class MailValues {
  @Field.text({ doc: 'Name of the user who causes the mail', maxLength: 1024 }) sender!: string;
  @Field.text({ doc: 'Title of the folder or document', optional: true, maxLength: 1024 }) folder?: string;
  @Field.text({ doc: 'Kind of what is shared', optional: true, values: SHARED_KINDS }) shared?: SharedKind;
  @Field.text({ doc: 'Address to open', optional: true, maxLength: 4096 }) url?: string;
  @Field.int({ doc: 'Life of the address, ms', optional: true, min: 0 }) validMs?: number;
  @Field.text({ doc: 'Pin that opens the address', optional: true, writeOnly: true, maxLength: 4096 }) pin?: string;
  @Field.text({ doc: 'Text of the user', optional: true, maxLength: 10_000 }) message?: string;
  @Field.text({ doc: 'Title of the event or task', optional: true, maxLength: 255 }) summary?: string;
  @Field.text({ doc: 'Location of the event', optional: true, maxLength: 255 }) location?: string;
  @Field.text({ doc: 'Description of the event or task', optional: true, maxLength: 10_000 }) description?: string;
  @Field.int({
    doc: 'Start of the event or task, ms UTC; wall-clock ms for whole days and floating times',
    optional: true,
  })
  startMs?: number;
  @Field.int({ doc: 'Exclusive end of the event, or when the task is due, likewise', optional: true }) endMs?: number;
  @Field.text({
    doc: 'Time zone of the event or task; absent for whole days and floating times',
    optional: true,
    maxLength: 64,
  })
  timeZone?: string;
  @Field.boolean({ doc: 'The event or task takes whole days', optional: true }) wholeDays?: boolean;
  @Field.boolean({ doc: 'The event or task recurs', optional: true }) recurring?: boolean;
  @Field.listOf('text', {
    doc: 'What of the event or task is different: summary, location, description, time, rule, state, attachments',
    optional: true,
    maxItems: 7,
  })
  changed?: string[];
  @Field.int({ doc: 'Status of the task, as tasks have it', optional: true }) status?: number;
  @Field.int({ doc: 'Progress of the task, percent', optional: true }) percent?: number;
}

/** Recipient of a mail. */
export class MailRecipient {
  @Field.text({ doc: 'Mail address', maxLength: 320 }) address!: string;
  @Field.text({ doc: 'Name', optional: true, maxLength: 256 }) name?: string;
  @Field.text({ doc: 'Language of the text: a locale such as `de_DE`', maxLength: 32 }) locale!: string;
}

/** Mails of one template to several recipients. */
export class OutgoingMails {
  @Field.text({
    doc: 'Unique in the context: with the same key an address gets one mail',
    minLength: 1,
    maxLength: 200,
  })
  key!: string;
  @Field.text({ doc: 'Template', values: MAIL_TEMPLATES }) template!: MailTemplate;
  @Field.object(() => MailValues, { doc: 'Values of the template' }) values!: MailValues;
  @Field.list(() => MailRecipient, { doc: 'Recipients: each gets a mail of its own', maxItems: 1000 })
  recipients!: MailRecipient[];
  @Field.text({ doc: 'Address that answers go to', optional: true, maxLength: 320 }) replyTo?: string;
  @Field.int({ doc: 'Wait for the outcome so long, ms', optional: true, min: 0, max: 10_000 }) waitMs?: number;
}

/** Outcome of one mail. */
export interface MailOutcome {
  readonly address: string;
  readonly state: MailState;
}

/** Numbers of the mails of all contexts. */
export class OutgoingMailState {
  @Field.boolean({ doc: 'A mail server is configured' }) configured!: boolean;
  @Field.text({ doc: 'Mail server, host:port', optional: true }) server?: string;
  @Field.int({ doc: 'Mails that wait for their first attempt' }) queued!: number;
  @Field.int({ doc: 'Mails that were refused for now and are tried again' }) temporary!: number;
  @Field.int({ doc: 'Mails on their way to the server' }) transferring!: number;
  @Field.int({ doc: 'Mails that wait until a mail server is configured' }) notConfigured!: number;
  @Field.int({ doc: 'Mails that the server took over' }) sent!: number;
  @Field.int({ doc: 'Mails that were given up: refused for good, or too often for now' }) refused!: number;
  @Field.int({ doc: 'Mails of which it cannot be told whether the server took them over; they are not sent again' })
  unknown!: number;
  @Field.timestamp({ doc: 'When the oldest mail that waits was ordered, ms UTC', optional: true }) oldest?: number;
}
