import { randomBytes } from 'node:crypto';
import { CatalogueError, RequestErrors } from '@groupware/contracts';

const node = randomBytes(4).toString('hex');
let errors = 0;

/** A fresh id for an error: unique over processes and restarts. */
export const freshErrorId = (): string => `${node}-${(errors += 1)}`;

/** Any thrown value as a catalogue error with an id; what was not foreseen becomes the generic one. */
export function toCatalogueError(error: unknown): CatalogueError {
  const known = error instanceof CatalogueError ? error : RequestErrors.unexpected().with({ cause: error });
  known.errorId ??= freshErrorId();
  return known;
}
