import { parseInput, type Model } from '../kit';
import { RequestErrors } from './edge.errors';

/** Reads the JSON object in a field of a form. @throws SVL-0029, SVL-0028 */
export function parseFormObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw RequestErrors.brokenJson();
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw RequestErrors.wrongBodyType('a JSON object', Array.isArray(value) ? 'array' : typeof value);
  return value as Record<string, unknown>;
}

/** The JSON beside the first file of a form; clients name it with or without its number (API page "Client behaviour", 1). */
export const findFormJson = (fields: { readonly json?: string; readonly json_0?: string }): string | undefined =>
  fields.json ?? fields.json_0;

/**
 * Reads the model in a field of a form.
 * @param name of the field
 * @throws SVL-0002 without the field, SVL-0029, SVL-0028, SVL-0031
 */
export function parseFormJson<T extends object>(model: Model<T>, text: string | undefined, name: string): T {
  if (text === undefined) throw RequestErrors.missingParameter(name);
  const { value, problems } = parseInput(model, parseFormObject(text), 'json');
  const [problem] = problems;
  if (problem) throw RequestErrors.badBodyData(`${problem.name}: ${problem.reason}`);
  return value;
}
