import { createHash } from 'node:crypto';
import type { FeedbackType } from '@groupware/contracts';
import { listFields } from './feedback-fields';

/** An entry as it is stored. */
export interface FeedbackRow {
  readonly id: number;
  /** ms UTC. */
  readonly date: number;
  /** Null once the user is forgotten. */
  readonly contextId: number | null;
  readonly userId: number | null;
  readonly serverVersion: string;
  /** JSON object of texts. */
  readonly content: string;
}

const formatDate = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

/** The values of an entry in the order of its type's fields. */
export function toRowValues(type: FeedbackType, row: FeedbackRow): string[] {
  const content = JSON.parse(row.content) as Readonly<Record<string, string>>;
  return listFields(type).map(({ name, limit }) => {
    if (limit !== undefined) return content[name] ?? '';
    if (name === 'date') return formatDate(row.date);
    if (name === 'server_version') return row.serverVersion;
    return row.contextId === null ? '' : createHash('md5').update(`${row.contextId}:${row.userId}`).digest('hex');
  });
}
