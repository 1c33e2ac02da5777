import type { FeedbackType } from '@groupware/contracts';

/** One value of an entry. */
export interface FeedbackField {
  readonly name: string;
  /** Header of its column in CSV. */
  readonly title: string;
  /** Most characters of a value of the client; values without one are the server's. */
  readonly limit?: number;
  readonly onlyIn?: FeedbackType;
}

const FIELDS: readonly FeedbackField[] = [
  { name: 'date', title: 'Date' },
  { name: 'score', title: 'Score', limit: 5 },
  { name: 'questionid', title: 'Question', limit: 5, onlyIn: 'nps-v1' },
  { name: 'comment', title: 'Comment', limit: 20_000 },
  { name: 'app', title: 'App', limit: 50 },
  { name: 'entry_point', title: 'Entry Point', limit: 50 },
  { name: 'operating_system', title: 'Operating System', limit: 50 },
  { name: 'browser', title: 'Browser', limit: 50 },
  { name: 'browser_version', title: 'Browser Version', limit: 10 },
  { name: 'user_agent', title: 'User Agent', limit: 200 },
  { name: 'screen_resolution', title: 'Screen Resolution', limit: 20 },
  { name: 'language', title: 'Language', limit: 20 },
  { name: 'user', title: 'User' },
  { name: 'server_version', title: 'Server Version' },
  { name: 'client_version', title: 'Client Version', limit: 20 },
];

/** The values of a type of feedback in the order of the export. */
export const listFields = (type: FeedbackType): readonly FeedbackField[] =>
  FIELDS.filter(({ onlyIn }) => onlyIn === undefined || onlyIn === type);
