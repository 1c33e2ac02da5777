import { fieldsOf, JsonText, type Model, type Operation } from '@groupware/contracts';
import { validateSync } from 'class-validator';

const instanceOf = (model: Model, value: object): object => {
  const target = new model() as Record<string, unknown>;
  for (const field of fieldsOf(model)) {
    const raw = (value as Record<string, unknown>)[field.wireName];
    if (raw !== undefined) target[field.property] = raw;
  }
  return target;
};

/**
 * Compares a result with the model of its operation; for tests. A result that lies about its model is a bug of the
 * service, so it fails loudly.
 */
export function inspectResult(operation: Operation, result: unknown): void {
  const { kind, model } = operation.reply;
  if (!model || result === undefined || result === null || result instanceof JsonText) return;
  if (kind === 'rows') {
    if (Array.isArray(result) && result.every((row) => Array.isArray(row) || typeof row !== 'object')) return;
    throw new Error(`${operation.subject} must answer rows`);
  }
  const values = kind === 'many' ? (result as unknown[]) : [result];
  for (const value of values) {
    if (typeof value !== 'object' || value === null) throw new Error(`${operation.subject} must answer objects`);
    const known = new Set(fieldsOf(model).map((field) => field.wireName));
    const unknown = Object.keys(value).filter((name) => !known.has(name));
    if (unknown.length > 0) throw new Error(`${operation.subject} answers undeclared fields: ${unknown.join(', ')}`);
    const [problem] = validateSync(instanceOf(model, value), { forbidUnknownValues: false });
    if (problem)
      throw new Error(
        `${operation.subject} answers a bad ${problem.property}: ${JSON.stringify(problem.constraints ?? problem.children)}`,
      );
  }
}
