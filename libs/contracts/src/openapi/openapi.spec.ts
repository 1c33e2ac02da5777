import {
  allowCallers,
  action,
  defineModule,
  errorCatalog,
  Field,
  file,
  form,
  json,
  one,
  operationsOf,
  plain,
  rest,
  rows,
  upload,
  page,
} from '../kit';
import { operations as allOperations } from '../registry';
import { openApiDocument, pathOf } from './openapi';

const OPEN = allowCallers('declared by a test');

class Part {
  @Field.text({ doc: 'name', maxLength: 5 }) name!: string;
  @Field.list(() => Part, { doc: 'inner parts', optional: true }) parts?: Part[];
}
class Whole {
  @Field.id({ column: 1, doc: 'id', optional: true, readOnly: true }) id?: string;
  @Field.int({ column: 9, doc: 'size', optional: true, min: 1, values: [1, 2] }) size?: number;
  @Field.object(() => Part, { doc: 'part' }) part!: Part;
}
class Query {
  @Field.columns({ doc: 'columns' }) columns!: string[];
  @Field.listOf('int', { doc: 'ids', optional: true }) ids?: number[];
  @Field.time({ doc: 'start', optional: true }) start?: number;
}
class Place {
  @Field.int({ doc: 'id', min: 1 }) id!: number;
}
const Errors = errorCatalog('TSTO', {
  gone: { number: 1, category: 'USER_INPUT', message: 'Gone.', http: 404 },
});
const wholes = defineModule('wholes', {
  all: action({ access: OPEN, http: 'GET', doc: 'Lists', query: Query, reply: rows(Whole), errors: [Errors.gone] }),
  new: action({ access: OPEN, http: 'PUT', doc: 'Creates', body: json(Whole), reply: one(Whole) }),
  import: action({ access: OPEN, http: 'POST', doc: 'Imports', body: upload(), reply: page('ids') }),
  export: action({ access: OPEN, http: 'GET', doc: 'Exports', reply: file('text/calendar') }),
  auto: action({
    access: OPEN,
    http: 'GET',
    auth: 'none',
    doc: 'Form',
    body: form(Place, { required: false }),
    reply: plain(),
  }),
  remove: rest({
    http: 'DELETE',
    path: '/v1/wholes/{id}',
    callers: ['master'],
    doc: 'Removes',
    params: Place,
    reply: plain(),
    errors: [Errors.gone],
  }),
});
const operations = operationsOf(wholes);

describe('OpenAPI document', () => {
  const client = openApiDocument('client', { operations, version: '1', servers: ['/ajax'] });
  const admin = openApiDocument('admin', { operations });

  it('has one entry per operation, each in its API', () => {
    expect(Object.keys(client.paths)).toEqual([
      '/wholes?action=all',
      '/wholes?action=auto',
      '/wholes?action=export',
      '/wholes?action=import',
      '/wholes?action=new',
    ]);
    expect(Object.keys(admin.paths)).toEqual(['/v1/wholes/{id}']);
    expect(client.servers).toEqual([{ url: '/ajax' }]);
  });

  it('describes parameters, with lists as one value', () => {
    expect(client.paths['/wholes?action=all']!.get).toMatchObject({
      parameters: [
        { name: 'columns', in: 'query', required: true, schema: { type: 'string' } },
        { name: 'ids', style: 'form', explode: false, schema: { type: 'array' } },
        { name: 'start', required: false, schema: { type: 'integer', format: 'int64' } },
      ],
      security: [{ session: [] }],
      'x-errors': ['TSTO-0001'],
    });
    expect(admin.paths['/v1/wholes/{id}']!.delete).toMatchObject({
      parameters: [{ name: 'id', in: 'path', required: true }],
      security: [{ master: [] }],
      responses: { 200: {}, 401: {}, 404: { description: '`TSTO-0001` Gone.' } },
    });
  });

  it('writes models once, also those that contain themselves', () => {
    expect(client.components.schemas).toMatchObject({
      Whole: {
        required: ['part'],
        properties: {
          id: { type: 'string', readOnly: true, 'x-column': 1 },
          size: { type: ['integer', 'null'], minimum: 1, enum: [1, 2, null] },
          part: { $ref: '#/components/schemas/Part' },
        },
      },
      Part: { properties: { name: { maxLength: 5 }, parts: { items: { $ref: '#/components/schemas/Part' } } } },
    });
  });

  it('describes uploads, downloads and forms', () => {
    expect(client.paths['/wholes?action=import']!.post).toHaveProperty([
      'requestBody',
      'content',
      'multipart/form-data',
    ]);
    expect(client.paths['/wholes?action=export']!.get).toHaveProperty(['responses', '200', 'content', 'text/calendar']);
    expect(client.paths['/wholes?action=auto']!.get).not.toHaveProperty('requestBody');
    expect(client.paths['/wholes?action=auto']!.post).toHaveProperty([
      'requestBody',
      'content',
      'application/x-www-form-urlencoded',
    ]);
  });

  describe.each(['client', 'admin'] as const)('of the product, %s API', (kind) => {
    const document = openApiDocument(kind);
    const text = JSON.stringify(document);

    it('refers only to schemas it has', () => {
      const names = [...text.matchAll(/#\/components\/schemas\/([^"]+)"/g)].map((match) => match[1]!);
      const schemas = document.components.schemas as Record<string, unknown>;
      expect(names.filter((name) => !(name in schemas))).toEqual([]);
    });

    it('names every operation once', () => {
      const ids = Object.values(document.paths).flatMap((path) => Object.values(path).map((each) => each.operationId));
      expect(new Set(ids).size).toBe(ids.length);
    });

    it('declares every place of a path', () => {
      const missing = Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.values(methods).flatMap((each) => {
          const names = (each.parameters as { name: string; in: string }[])
            .filter((one) => one.in === 'path')
            .map((one) => one.name);
          return [...path.matchAll(/\{([^}]+)\}/g)]
            .filter((match) => !names.includes(match[1]!))
            .map((match) => `${path} ${match[1]}`);
        }),
      );
      expect(missing).toEqual([]);
    });
  });

  it('misses no operation that HTTP can reach', () => {
    const described = new Set(
      (['client', 'admin'] as const).flatMap((kind) =>
        Object.entries(openApiDocument(kind).paths).flatMap(([path, methods]) =>
          Object.keys(methods).map((method) => `${method} ${path}`),
        ),
      ),
    );
    const reachable = allOperations.filter((operation) => operation.kind !== 'internal');
    expect(reachable.length).toBeGreaterThan(20);
    expect(
      reachable.filter((operation) => !described.has(`${operation.http.toLowerCase()} ${pathOf(operation)}`)),
    ).toEqual([]);
  });
});
