import {
  CatalogueError,
  parseInput,
  ProvisioningErrors,
  type ImportedPassword,
  type ImportRowError,
  type Model,
} from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import type { Actor } from '../domain/actor';
import type { UserDraft } from '../provisioning/user-editor';
import type { ImportRow } from './import-fields';

/** Options of an import. */
export interface ImportOptions {
  readonly contextId: number;
  /** create: an object that exists is an error; otherwise it is changed. */
  readonly mode: 'create' | 'upsert' | 'sync';
  readonly dryRun: boolean;
  readonly actor: Actor;
  /** Credentials for new users without password, and the public key they are encrypted for. */
  readonly passwords?: { readonly kind: 'random' | 'invite'; readonly recipient: string };
}

/** Outcome of a row. */
export interface RowOutcome {
  readonly effect: 'created' | 'changed' | 'unchanged';
  /** Users and groups whose caches must be dropped. */
  readonly ids: readonly number[];
  /** Secret of a new user, for the caller. */
  readonly disclosed?: DisclosedSecret;
}

/** A password or the token of an invitation, encrypted for the caller. */
export type DisclosedSecret = Pick<ImportedPassword, 'kind' | 'encrypted'>;

/** A planned row: a certain failure, the batched creation of a user, or work in a transaction. */
export type PlannedRow =
  | { readonly error: CatalogueError }
  | { readonly create: UserDraft; readonly told?: DisclosedSecret }
  | { readonly work: (tx: Transaction) => Promise<RowOutcome> };

/** Reads the cells of a row into a model of the REST API. @throws PROV-0019 for the first bad field */
export function parseRow<T extends object>(
  model: Model<T>,
  values: ImportRow['values'],
  names: Readonly<Record<string, string>> = {},
): T {
  const input: Record<string, unknown> = {};
  for (const [field, text] of Object.entries(values)) {
    const [name, part] = (names[field] ?? field).split('.') as [string, string?];
    if (part) input[name] = { ...(input[name] as object | undefined), [part]: text };
    else input[name] = text;
  }
  const { value, problems } = parseInput(model, input, 'text');
  const [problem] = problems;
  if (problem)
    throw ProvisioningErrors.invalidField(problem.name, problem.kind === 'missing' ? 'missing' : problem.reason);
  return value;
}

/** Names in one cell. */
export const parseNames = (cell: string | undefined): string[] =>
  (cell ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** Whether an error concerns one row; others fail or interrupt the import. */
export const isRowError = (error: unknown): error is CatalogueError =>
  error instanceof CatalogueError && error.entry.category !== 'SERVICE_DOWN';

/** The code and text of a failed row. */
export function toRowError(row: number, error: CatalogueError): ImportRowError {
  const field = error.is(ProvisioningErrors.invalidField) ? error.params[0] : undefined;
  return { row, ...(field ? { field } : {}), code: error.code, error: error.message };
}
