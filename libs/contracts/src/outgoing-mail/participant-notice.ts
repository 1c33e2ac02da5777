import type { MailTemplate, MailValues } from './outgoing-mail.model';

/** A person who is told by mail and is no user. */
export interface NoticedPerson {
  readonly address: string;
  readonly name?: string;
}

/** A change of an event or task, or an answer to it, that those who take part are told by mail: users as far as they wish it. */
export interface ParticipantNotice {
  /** User who changed or answered, or who took the answer of a guest. */
  readonly userId: number;
  /** Attendee elsewhere who answered. */
  readonly guest?: NoticedPerson;
  /** Users who are told; each gets a mail of its own. */
  readonly users: readonly number[];
  /** Others who are told, in the language of the user. */
  readonly people?: readonly NoticedPerson[];
  /** As what they are told: as participants of a change, as organizer or as participants of an answer. */
  readonly reason: 'change' | 'answerToOrganizer' | 'answerToAttendee';
  readonly template: MailTemplate;
  /** Values of the template without the sender. */
  readonly values: Omit<MailValues, 'sender'>;
}
