import { type Model, parseInput, RequestErrors } from '@groupware/contracts';

/** The object of the part `json_0` of a form. SVL-0002 without it, SVL-0029, SVL-0028 and SVL-0031 for a bad one. */
export function parseJsonPart<T extends object>(model: Model<T>, form: Readonly<Record<string, string>>): T {
  const text = form.json_0;
  if (text === undefined) throw RequestErrors.missingParameter('json_0');
  const { value, problems } = parseInput(model, requireObject(text), 'json');
  const [problem] = problems;
  if (problem) throw RequestErrors.badBodyData(`${problem.name}: ${problem.reason}`);
  return value;
}

function requireObject(text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw RequestErrors.brokenJson();
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw RequestErrors.wrongBodyType('a JSON object', Array.isArray(value) ? 'array' : String(typeof value));
  return value;
}
