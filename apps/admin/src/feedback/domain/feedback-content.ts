import { FEEDBACK_TYPES, FeedbackErrors, RequestErrors, type FeedbackType } from '@groupware/contracts';
import { listFields } from './feedback-fields';

/** Values sent by a client, as texts by name. */
export type FeedbackContent = Readonly<Record<string, string>>;

const MARK = ' ...';
/** Values that may be shorter than this are cut without a mark. */
const SHORTEST_MARKED = 10;
const INTEGER = /^[+-]?\d{1,9}$/;

const asText = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);

/** Cuts a text to so many UTF-16 code units, never through the middle of a character. */
export function truncate(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const marked = limit > SHORTEST_MARKED;
  const kept = text.slice(0, marked ? limit - MARK.length : limit).replace(/[\uD800-\uDBFF]$/, '');
  return marked ? kept + MARK : kept;
}

/** The type of a name. @throws FEEDBACK-0003 */
export function parseFeedbackType(name: string): FeedbackType {
  const type = FEEDBACK_TYPES.find((known) => known === name);
  if (!type) throw FeedbackErrors.unknownType(name);
  return type;
}

/**
 * Reads what a client sent: keys in any case, unknown ones dropped, missing ones empty, long values cut.
 * @throws SVL-0028 for anything but an object, SVL-0010 for a score beyond that of its type, FEEDBACK-0004 for a bad score or question
 */
export function parseFeedbackContent(type: FeedbackType, body: unknown): FeedbackContent {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw RequestErrors.wrongBodyType('a JSON object', Array.isArray(body) ? 'array' : typeof body);
  const given = new Map(Object.entries(body).map(([key, value]) => [key.toLowerCase(), value as unknown]));
  const score = asText(given.get('score')).trim();
  if (!INTEGER.test(score)) throw FeedbackErrors.invalidContent('score is no whole number');
  if (type === 'star-rating-v1' && !/^\+?0*[0-5]$/.test(score)) throw RequestErrors.badParameter('score', score);
  if (type === 'star-rating-v1' && Number(score) < 1) throw FeedbackErrors.invalidContent('score is less than 1');
  const question = asText(given.get('questionid')).trim();
  if (type === 'nps-v1' && !/^[0-3]?$/.test(question))
    throw FeedbackErrors.invalidContent('questionid is not one of 0 to 3');
  given.set('score', String(Number(score))).set('questionid', question);
  return Object.fromEntries(
    listFields(type).flatMap(({ name, limit }) =>
      limit === undefined ? [] : [[name, truncate(asText(given.get(name)), limit)] as const],
    ),
  );
}
