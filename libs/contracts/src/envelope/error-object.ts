import { CATEGORIES, formatMessage, type CatalogueError } from '../kit';
import { displayText } from './translations';

/** The error fields of the response envelope and of REST errors (API page "Errors"). */
export interface ErrorObject {
  /** Translated text for the user. */
  readonly error: string;
  readonly error_params: readonly string[];
  /** Unique for each occurrence; found in the logs of every process the call passed through. Absent inside of data. */
  readonly error_id?: string;
  /** English technical text. */
  readonly error_desc: string;
  /** Only when stack traces are switched on. */
  readonly error_stack?: readonly string[];
  readonly code: string;
  /** One name as text; the API makes it an array for several. */
  readonly categories: string;
  readonly category: number;
  readonly problematic?: readonly unknown[];
  readonly truncated?: readonly number[];
}

/** Turns a catalogue error into what a client sees, with the warnings that led to a refusal. */
export function errorObject(error: CatalogueError, locale: string, options: { stack?: boolean } = {}): ErrorObject {
  const { entry, params, details } = error;
  return {
    error: displayText(entry, params, locale),
    error_params: params,
    ...(error.errorId ? { error_id: error.errorId } : {}),
    error_desc: formatMessage(entry.message, params),
    ...(options.stack && error.stack ? { error_stack: error.stack.split('\n').map((line) => line.trim()) } : {}),
    code: entry.code,
    categories: entry.category,
    category: CATEGORIES[entry.category],
    ...(details.problematic?.length ? { problematic: details.problematic } : {}),
    ...(details.truncated?.length ? { truncated: details.truncated } : {}),
    ...(details.warnings?.length ? { warnings: details.warnings } : {}),
  };
}
