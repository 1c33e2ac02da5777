import { fieldsOf, JsonText, type FieldDescription, type Model, type Operation } from '@groupware/contracts';
import type { CallBody } from '@groupware/messaging';
import { validateSync, type ValidationError } from 'class-validator';

type NameOf = (field: FieldDescription) => string;
const wireName: NameOf = (field) => field.wireName;
const property: NameOf = (field) => field.property;

/** Values of models become instances, for only those are checked by class-validator. */
function toInstance(model: Model, value: unknown, nameOf: NameOf): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const target = new model() as Record<string, unknown>;
  for (const field of fieldsOf(model)) {
    const raw = (value as Record<string, unknown>)[nameOf(field)];
    if (raw === undefined) continue;
    const inner = field.model?.();
    if (!inner) target[field.property] = raw;
    else if (Array.isArray(raw)) target[field.property] = raw.map((element) => toInstance(inner, element, nameOf));
    else target[field.property] = toInstance(inner, raw, nameOf);
  }
  return target;
}

/** Lists problems, one line per field. With `partial`, missing fields are allowed: callers may select fields. */
function listProblems(error: ValidationError, partial: boolean, path = ''): string[] {
  const name = `${path}${error.property}`;
  if (!error.constraints) return (error.children ?? []).flatMap((child) => listProblems(child, partial, `${name}.`));
  if (partial && error.value === undefined) return [];
  return [`${name}: ${Object.values(error.constraints).join('; ')}`];
}

function check(models: readonly Model[], value: unknown, nameOf: NameOf, where: string, partial = false): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${where} must be an object`);
  const known = new Set(models.flatMap((model) => fieldsOf(model).map(nameOf)));
  const unknown = Object.keys(value).filter((name) => !known.has(name));
  if (unknown.length > 0) throw new Error(`${where} has undeclared fields: ${unknown.join(', ')}`);
  for (const model of models) {
    const complaints = validateSync(toInstance(model, value, nameOf) as object, { forbidUnknownValues: false }).flatMap(
      (error) => listProblems(error, partial),
    );
    if (complaints.length > 0) throw new Error(`${where} breaks its model: ${complaints.join(', ')}`);
  }
}

/**
 * Compares a call with the models of its operation; for tests. The gateway checked what came from a client, so only a
 * service that calls another one, or the gateway itself, can be wrong here.
 */
export function inspectCall(operation: Operation, { query, body }: CallBody): void {
  const models = [operation.query, operation.params].filter((model) => model !== undefined);
  if (models.length > 0) check(models, query ?? {}, property, `the query of ${operation.subject}`);
  const spec = operation.body;
  if (!spec?.model || body === undefined || body === null) return;
  const isList = spec.kind === 'jsonList' || spec.kind === 'jsonOneOrList';
  const where = `the body of ${operation.subject}`;
  if (isList && !Array.isArray(body)) throw new Error(`${where} must be a list`);
  for (const value of isList ? (body as unknown[]) : [body]) check([spec.model], value, property, where);
}

/**
 * Compares a result with the model of its operation; for tests. A result that lies about its model is a bug of the
 * service, so it fails loudly.
 */
export function inspectResult(operation: Operation, result: unknown): void {
  const { kind, model, list } = operation.reply;
  if (!model || result === undefined || result === null || result instanceof JsonText) return;
  const where = `the result of ${operation.subject}`;
  if (kind === 'rows') {
    if (Array.isArray(result) && result.every((row) => Array.isArray(row) || typeof row !== 'object')) return;
    throw new Error(`${where} must be rows`);
  }
  const partial = operation.query ? fieldsOf(operation.query).some((field) => field.wireName === 'fields') : false;
  const isList = kind === 'many' || list;
  if (isList && !Array.isArray(result)) throw new Error(`${where} must be a list`);
  for (const value of isList ? (result as unknown[]) : [result]) check([model], value, wireName, where, partial);
}
