import { reference } from './contracts.mjs';
import { kebab, pascal } from './names.mjs';

const docs = {
  id: 'Object',
  folder: 'Folder of the object, as the user sees it',
  columns: 'Column numbers of the answer',
  timestamp: 'Newest change the client knows',
  timezone: 'Zone of the times in request and answer; default: the zone of the user',
  start: 'Inclusive lower bound',
  end: 'Exclusive upper bound',
};

function fieldType({ name, type }) {
  if (type === 'boolean') return { kind: 'boolean', value: 'boolean' };
  if (name === 'timestamp') return { kind: 'timestamp', value: 'number' };
  if (name === 'columns') return { kind: 'columns', value: 'string[]' };
  if (type === 'integer') return { kind: ['start', 'end'].includes(name) ? 'time' : 'int', value: 'number' };
  return { kind: /^(id|folder|.*_id)$/.test(name) ? 'id' : 'text', value: 'string' };
}

function field(parameter) {
  const { kind, value } = fieldType(parameter);
  const plain = /^[A-Za-z_]\w*$/.test(parameter.name);
  const options = [
    `doc: '${docs[parameter.name] ?? `Parameter ${parameter.name}`}'`,
    ...(parameter.required ? [] : ['optional: true']),
    ...(plain ? [] : [`name: '${parameter.name}'`]),
  ];
  const property = plain ? parameter.name : parameter.name.replace(/\W+/g, '_');
  return `@Field.${kind}({ ${options.join(', ')} }) ${property}${parameter.required ? '!' : '?'}: ${value};`;
}

const identity = { name: 'id', type: 'string', required: true };

/**
 * Gathers the parts of a new operation: method, parameters and body of the API's reference where it knows the operation.
 * @param {import('./checkout.mjs').Checkout} checkout
 * @param {string} module
 * @param {string} action
 * @param {{ method?: string, capability?: string }} [options]
 */
export function draftOperation(checkout, module, action, { method, capability } = {}) {
  const known = reference(checkout, 'operations').find((each) => each.module === module && each.action === action);
  const parameters = (known?.params ?? [{ ...identity, in: 'query' }]).filter(
    ({ name, type }) => name !== 'session' && type !== 'file',
  );
  const http = known?.method ?? method ?? 'GET';
  const hasBody = known ? Boolean(known.body) || known.params.some((each) => each.in === 'form') : http !== 'GET';
  const inBody = parameters.filter((each) => each.in === 'form');
  const kind = known?.consumes === 'multipart' ? 'upload' : known?.consumes === 'form' ? 'form' : 'json';
  return {
    module,
    action,
    http,
    capability,
    isKnown: Boolean(known),
    query: parameters.filter((each) => each.in === 'query'),
    body: hasBody ? { kind, fields: kind === 'json' ? [{ name: 'title', required: true }] : inBody } : undefined,
    result: [{ ...identity }],
    class: pascal(module) + pascal(action),
    fileName: kebab(action),
  };
}

/** The models of an operation, in the order in which they are used. */
export function models(operation) {
  const model = (name, doc, fields) => `/** ${doc} */\nexport class ${name} {\n${fields.map(field).join('\n')}\n}`;
  const { query, body } = operation;
  return [
    ...(query.length ? [model(`${operation.class}Query`, `Parameters of \`${operation.action}\`.`, query)] : []),
    ...(body ? [model(`${operation.class}Body`, `Body of \`${operation.action}\`.`, body.fields)] : []),
    model(`${operation.class}Result`, `Answer of \`${operation.action}\`.`, operation.result),
  ].join('\n\n');
}

/** The property of the module contract. */
export const declaration = (
  operation,
  access,
  doc = `What \`${operation.action}\` does, in a sentence for client developers`,
  errors,
) =>
  [
    `${operation.action}: action({`,
    `http: '${operation.http}',`,
    `doc: '${doc}',`,
    `access: ${access},`,
    operation.query.length && `query: ${operation.class}Query,`,
    operation.body && `body: ${operation.body.kind}(${operation.class}Body),`,
    `reply: one(${operation.class}Result),`,
    "auth: 'session',",
    operation.capability && `capability: '${operation.capability}',`,
    errors && `errors: [${errors}],`,
    '})',
  ]
    .filter(Boolean)
    .join('\n');

/** Names that a contract with this operation imports from the kit. */
export const kitNames = ({ body }) => ['action', 'Field', 'one', ...(body ? [body.kind] : [])];

/** Tells the specs that compare operations with lists about this one. */
export function announce(checkout, operation, SourceText) {
  if (!operation.isKnown)
    checkout.edit('libs/contracts/src/reference.spec.ts', (text) => {
      const source = new SourceText(text);
      source.addToConstant(
        'ADDITIONS',
        `'${operation.module}.${operation.action}': 'new: existing clients do not call it'`,
      );
      return source.toString();
    });
  if (operation.body && operation.body.kind !== 'upload')
    checkout.edit('e2e/edge/tenants.e2e.spec.ts', (text) => {
      const source = new SourceText(text);
      const sample = operation.body.kind === 'json' ? "{ title: 'x' }" : '{}';
      source.addToConstant('bodies', `'${operation.module}/${operation.action}': () => (${sample})`);
      return source.toString();
    });
}
