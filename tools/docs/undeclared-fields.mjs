import fs from 'node:fs';
import path from 'node:path';

/**
 * Fields of answers and columns that the reference of the API documents and that no contract declares: they are never answered. A
 * field is declared when one of the models has it that stand for a model of the reference, in answers or in bodies.
 * @param {object} contracts the exports of the contracts package
 * @param {string} root the checkout
 * @returns {{ model: string, field: string }[]} by the model of the reference
 */
export function undeclaredFields({ operations, fieldsOf }, root) {
  const read = (name) =>
    JSON.parse(fs.readFileSync(path.join(root, 'libs', 'contracts', 'reference', `${name}.json`), 'utf8'));
  const [models, columns, tables, reference] = ['models', 'columns', 'column-tables', 'operations'].map(read);
  const modelIn = (type) => (String(type).match(/\w+/g) ?? []).find((name) => Object.hasOwn(models, name));
  const standing = new Map();
  const answers = new Set();
  const pair = (name, model, isAnswer) => {
    const known = standing.get(name) ?? new Set();
    if (known.has(model) && (!isAnswer || answers.has(name))) return;
    standing.set(name, known.add(model));
    if (isAnswer) answers.add(name);
    for (const field of fieldsOf(model)) {
      const inner = modelIn(models[name][field.wireName]);
      const nested = field.model?.();
      if (inner && nested) pair(inner, nested, isAnswer);
    }
  };
  const actions = operations.filter(({ kind }) => kind === 'action');
  for (const { module, action, http, reply, body } of actions)
    for (const known of reference) {
      const isSame = action === null ? known.path === `/${module}` : known.module === module && known.action === action;
      if (!isSame || known.method !== http) continue;
      const envelope = models[known.response];
      const answered = envelope && ('data' in envelope ? modelIn(envelope.data) : known.response);
      if (answered && reply.model) pair(answered, reply.model, true);
      const sent = known.body && modelIn(known.body);
      if (sent && body?.model) pair(sent, body.model, false);
    }
  const ofModels = [...answers].flatMap((name) => {
    const declared = new Set(
      [...standing.get(name)].flatMap((model) => fieldsOf(model).map(({ wireName }) => wireName)),
    );
    return Object.keys(models[name])
      .filter((field) => !declared.has(field))
      .map((field) => ({ model: name, field }));
  });
  const ofColumns = Object.entries(tables).flatMap(([module, table]) => {
    const declared = new Set(
      actions
        .filter(({ module: own, reply }) => own === module && reply.kind === 'rows')
        .flatMap(({ reply }) => fieldsOf(reply.model).map(({ column }) => column)),
    );
    return columns[table]
      .filter(({ id }) => !declared.has(id))
      .map(({ id, name }) => ({ model: `columns of ${table}`, field: `${id} ${name}` }));
  });
  return [...ofModels, ...ofColumns];
}
