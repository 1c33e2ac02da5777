import {
  CatalogueError,
  parseInput,
  ProvisioningErrors,
  type ImportedPassword,
  type ImportRowError,
  type Model,
} from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import type { Actor } from '../provisioning/actor';
import type { UserDraft } from '../provisioning/user-editor';
import type { ImportRow } from './import-fields';

/** What rows may do. */
export interface RowOptions {
  readonly contextId: number;
  /** create: an object that exists is an error; otherwise it is changed. */
  readonly mode: 'create' | 'upsert' | 'sync';
  readonly dryRun: boolean;
  readonly actor: Actor;
  /** What new users without password get, and the public key of the caller whom it is told. */
  readonly passwords?: { readonly kind: 'random' | 'invite'; readonly recipient: string };
}

/** What a row did. */
export interface RowOutcome {
  readonly effect: 'created' | 'changed' | 'unchanged';
  /** Users and groups that others must ask for again. */
  readonly ids: readonly number[];
  /** What the caller is to be told of a new user. */
  readonly told?: Told;
}

/** A password or the token of an invitation, encrypted for the caller. */
export type Told = Pick<ImportedPassword, 'kind' | 'encrypted'>;

/** What a row is going to do: fail whatever happens, create a user together with others, or something in a transaction. */
export type RowPlan =
  | { readonly error: CatalogueError }
  | { readonly create: UserDraft; readonly told?: Told }
  | { readonly work: (tx: Transaction) => Promise<RowOutcome> };

/** Reads the cells of a row into a model of the REST API. @throws PROV-0019 for the first bad field */
export function readRow<T extends object>(
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
export const namesIn = (cell: string | undefined): string[] =>
  (cell ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** Whether an error belongs to its row; others end the import, or interrupt it. */
export const isRowError = (error: unknown): error is CatalogueError =>
  error instanceof CatalogueError && error.entry.category !== 'SERVICE_DOWN';

/** The code and text of a failed row. */
export function rowError(row: number, error: CatalogueError): ImportRowError {
  const field = error.is(ProvisioningErrors.invalidField) ? error.params[0] : undefined;
  return { row, ...(field ? { field } : {}), code: error.code, error: error.message };
}
