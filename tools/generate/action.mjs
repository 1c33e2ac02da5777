import { Refusal } from './checkout.mjs';
import { contractOf } from './contracts.mjs';
import { camel, pascal } from './names.mjs';
import { announce, declaration, draftOperation, kitNames, models } from './operation.mjs';
import { SourceText } from './source-text.mjs';

const names = /^[A-Za-z][\w-]*$/;

/**
 * Adds an operation to a module: declaration, handler, its spec and one through the gateway.
 * @param {import('./checkout.mjs').Checkout} checkout
 * @param {[module: string, action: string]} wanted
 * @param {{ method?: string }} options
 * @returns {string[]} what remains to be done
 */
export function generateAction(checkout, [module, action], options) {
  if (!names.test(action)) throw new Refusal(`${action} is no name of an action`);
  const method = options.method?.toUpperCase();
  if (method && !['GET', 'PUT', 'POST'].includes(method)) throw new Refusal(`--method is GET, PUT or POST`);
  const contract = contractOf(checkout, module);
  if (contract.keys.includes(action)) throw new Refusal(`the module ${module} has an action ${action} already`);
  const app = `apps/${contract.service}`;
  if (!checkout.has(`${app}/src/index.ts`)) throw new Refusal(`${app} answers for ${module}, but is not there`);

  const capabilities = [...new Set([...contract.text.matchAll(/capability: '([^']+)'/g)].map(([, name]) => name))];
  const operation = draftOperation(checkout, module, action, {
    method,
    capability: capabilities.length === 1 ? capabilities[0] : undefined,
  });

  checkout.edit(contract.file, (text) => {
    const source = new SourceText(text);
    source.addImport('../kit', [...kitNames(operation), 'UNDECIDED']);
    source.addToCall('defineModule', contract.constant, declaration(operation, 'UNDECIDED'));
    source.addBefore(contract.constant, models(operation));
    return source.toString();
  });
  const handlers = `${app}/src/handlers`;
  const taken = checkout.has(`${handlers}/${operation.fileName}.handler.ts`);
  const handler = taken
    ? { file: `${handlers}/${camel(module).toLowerCase()}-${operation.fileName}`, class: operation.class }
    : { file: `${handlers}/${operation.fileName}`, class: pascal(action) };
  checkout.create(`${handler.file}.handler.ts`, handlerText(contract, operation, handler));
  checkout.create(`${handler.file}.handler.spec.ts`, handlerSpec(contract, operation, handler));
  const edge = `e2e/${contract.service}/${operation.fileName}.e2e.spec.ts`;
  checkout.create(edge, edgeSpec(contract, operation));
  announce(checkout, operation, SourceText);

  return [
    `decide in ${contract.file} who has access, instead of UNDECIDED: until then its specs are red`,
    `describe the operation there: parameters, answer, errors, doc`,
    `write ${handler.file}.handler.ts and its spec`,
    `test it through the gateway: ${edge}`,
    'npm run docs',
  ];
}

const answersWith = ({ query }) => (query.some(({ name, required }) => name === 'id' && required) ? 'query.id' : "'1'");

const handlerText = ({ constant }, operation, handler) => `
import { ${constant}, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';

/** \`${operation.action}\`: answers what it was asked for, until its story is written here. */
@Handles(${constant}.${operation.action})
export class ${handler.class}Handler implements Handler<typeof ${constant}.${operation.action}> {
  async handle(${answersWith(operation) === 'query.id' ? `{ query }: CallOf<typeof ${constant}.${operation.action}>` : ''}) {
    return { id: ${answersWith(operation)} };
  }
}
`;

const handlerSpec = ({ constant }, operation, handler) => {
  const name = `${constant}.${operation.action}`;
  const call = `{ query: { id: '7' } } as CallOf<typeof ${name}>`;
  const asks = answersWith(operation) === 'query.id';
  return `
import { ${constant}${asks ? ', type CallOf' : ''} } from '@groupware/contracts';
import { answerChecked } from '@groupware/test-kit';
import { ${handler.class}Handler } from './${handler.file.split('/').at(-1)}.handler';

describe('${operation.module}?action=${operation.action}', () => {
  it('answers the id, after it checked the access that its contract declares', async () => {
    const handler = new ${handler.class}Handler();
    const answer = await answerChecked(${name}, () => handler.handle(${asks ? call : ''}));
    expect(answer).toEqual({ id: '${asks ? 7 : 1}' });
  });
});
`;
};

const sample = ({ name, type }) =>
  type === 'boolean'
    ? 'true'
    : name === 'columns' || name === 'id' || name === 'folder'
      ? '1'
      : type === 'integer'
        ? '86400000'
        : '1';

const edgeSpec = ({ constant }, operation) => `
import { ${constant} } from '@groupware/contracts';
import { createFixtures, type Fixtures } from '../fixtures';
import { callOperation } from '../samples';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

let world: TestEnvironment;
let cast: Fixtures;
beforeAll(async () => {
  world = await startTestEnvironment();
  cast = await createFixtures(world);
}, 300_000);
afterAll(() => world?.close());

${bodyOfSpec(operation)}
describe('${operation.http} /${operation.module}?action=${operation.action}', () => {
  it('answers the id', async () => {
    const answer = await callOperation(cast.U1, ${constant}.${operation.action}, query${operation.body ? ', init' : ''});
    expect(answer).toMatchObject({ status: 200, body: { data: { id: '1' } } });
  });
});
`;

function bodyOfSpec({ query, body }) {
  const required = query.filter((each) => each.required);
  const lines = [
    `const query = { ${required.map((each) => `'${each.name}': '${sample(each)}'`).join(', ')} };`,
    ...(body?.kind === 'json'
      ? [`const init = { body: JSON.stringify({ title: 'x' }), headers: { 'content-type': 'application/json' } };`]
      : []),
    ...(body?.kind === 'form'
      ? [
          `const init = { body: new URLSearchParams({ ${body.fields.map((each) => `'${each.name}': '${sample(each)}'`).join(', ')} }) };`,
        ]
      : []),
    ...(body?.kind === 'upload'
      ? [
          'const init: RequestInit = { body: new FormData() };',
          "(init.body as FormData).set('file', new Blob(['x']), 'file.txt');",
        ]
      : []),
  ];
  return lines.join('\n');
}
