import { fieldsOf, groupBy, httpStatusOf, PASSWORD_SCOPE, type ErrorFactory, type Model, type Operation } from '../kit';
import { operations as allOperations } from '../registry';
import { describeField, SchemaWriter, type JsonSchema } from './schema-writer';

/** Which of the two APIs: module calls of clients, or the administrative REST API. */
export type ApiKind = 'client' | 'admin';

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string }[];
  /** By path; of module calls with the action in its query, because that is what names an operation. */
  readonly paths: Record<string, Record<string, JsonSchema>>;
  readonly components: Record<string, unknown>;
}

/** Options of a document besides the contracts. */
export interface OpenApiOptions {
  readonly version?: string;
  /** Base URLs or base paths of the API. */
  readonly servers?: readonly string[];
  /** Operations to describe; default: all of the product. */
  readonly operations?: readonly Operation[];
}

const INFO: Readonly<Record<ApiKind, { title: string; description: string }>> = {
  client: {
    title: 'Client API',
    description:
      'Module calls: `{base}/<module>?action=<action>`. Answers are an envelope with `data` and `timestamp`; a failed call has HTTP status 200 and the error fields instead of `data`. Log in first: the session id goes into the parameter `session`, the secret cookie stays in the browser.',
  },
  admin: {
    title: 'Administrative REST API',
    description:
      'Operations of operators and cooperating services on the internal listener. Authentication is HTTP Basic; failed calls have a fitting status and the standard error object.',
  },
};

const SECURITY: Readonly<Record<string, string>> = {
  session: 'session',
  master: 'master',
  reseller: 'reseller',
  resellerOfContext: 'reseller',
  contextAdmin: 'contextAdmin',
  service: 'basic',
  user: 'userBasic',
};

/** Which applications may call it; sessions of the user's own password need no scope. */
function appScopeLine({ auth, appScopes }: Operation): string[] {
  if (auth !== 'session') return [];
  if (appScopes === undefined) return ['Closed to application passwords.'];
  if (appScopes === 'any') return ['Open to every application password.'];
  const scopes = appScopes.filter((scope) => scope !== PASSWORD_SCOPE).map((scope) => `\`${scope}\``);
  if (scopes.length === appScopes.length) return [`Application passwords need ${scopes.join(' or ')}.`];
  const ofTokens = scopes.length > 0 ? `need ${scopes.join(' or ')}` : 'do not open it';
  return [`Open to every application password; access tokens ${ofTokens}.`];
}

const errorSchema: JsonSchema = {
  type: 'object',
  description: 'Error fields of the envelope and of the REST API',
  properties: {
    error: { type: 'string', description: 'Text in the language of the user' },
    error_params: { type: 'array', items: { type: 'string' } },
    error_id: { type: 'string', description: 'Unique for each occurrence; found in the logs' },
    error_desc: { type: 'string', description: 'Technical text in English' },
    code: { type: 'string', pattern: '^[A-Z_-]+-\\d{4,5}$' },
    categories: { type: 'string' },
    category: { type: 'integer' },
    problematic: { type: 'array', items: {} },
    truncated: { type: 'array', items: { type: 'integer' } },
  },
};

const json = (schema: JsonSchema): JsonSchema => ({ 'application/json': { schema } });

class DocumentWriter {
  private readonly schemas = new SchemaWriter();

  constructor(
    private readonly kind: ApiKind,
    private readonly options: OpenApiOptions,
  ) {
    this.schemas.schemas.Error = errorSchema;
  }

  write(): OpenApiDocument {
    const operations = (this.options.operations ?? allOperations).filter((operation) => this.belongs(operation));
    const paths: OpenApiDocument['paths'] = {};
    for (const operation of operations) {
      const path = (paths[pathOf(operation)] ??= {});
      const method = operation.http.toLowerCase();
      path[method] = this.operation(operation, operation.http === 'GET' ? undefined : this.body(operation), '');
      // A GET can't carry a form; with one it is sent as POST.
      if (operation.http === 'GET' && operation.body?.kind === 'form')
        path.post ??= this.operation(operation, this.body(operation), '_form');
    }
    return {
      openapi: '3.1.0',
      info: { ...INFO[this.kind], version: this.options.version ?? '0' },
      servers: (this.options.servers ?? ['/']).map((url) => ({ url })),
      tags: [...new Set(operations.map((operation) => operation.module))].sort().map((name) => ({ name })),
      paths: Object.fromEntries(Object.entries(paths).sort(([left], [right]) => (left < right ? -1 : 1))),
      components: { schemas: this.schemas.schemas, securitySchemes: this.securitySchemes() },
    };
  }

  private belongs(operation: Operation): boolean {
    if (operation.kind === 'internal') return false;
    return (operation.listener === 'internal') === (this.kind === 'admin');
  }

  private securitySchemes(): Record<string, JsonSchema> {
    const basic = (description: string): JsonSchema => ({ type: 'http', scheme: 'basic', description });
    return this.kind === 'client'
      ? {
          session: {
            type: 'apiKey',
            in: 'query',
            name: 'session',
            description: 'Session id from the login; the secret cookie must be sent with it',
          },
        }
      : {
          master: basic('Master administrator'),
          reseller: basic('Reseller, for his contexts'),
          contextAdmin: basic('Administrator of the context in the path'),
          basic: basic('Pair of the cooperating services'),
          userBasic: basic('A user: own password or application password'),
        };
  }

  private operation(operation: Operation, requestBody: JsonSchema | undefined, suffix: string): JsonSchema {
    const errors = errorLines(operation.errors ?? []);
    const schemes = operation.callers?.map((caller) => SECURITY[caller]) ?? [SECURITY[operation.auth]];
    const security = [...new Set(schemes)].flatMap((scheme) => scheme ?? []);
    return {
      operationId: `${operation.module.replace(/\W/g, '_')}_${operation.name}${suffix}`,
      tags: [operation.module],
      summary: operation.doc.length > 120 ? `${operation.doc.slice(0, 119)}…` : operation.doc,
      description: [
        operation.doc,
        ...(operation.capability ? [`Needs the capability \`${operation.capability}\`.`] : []),
        ...appScopeLine(operation),
        ...(errors.length > 0 ? [`Errors:\n\n${errors.map((line) => `- ${line}`).join('\n')}`] : []),
      ].join('\n\n'),
      parameters: [
        ...this.parameters(operation.params, 'path'),
        ...this.placesOfModule(operation),
        ...this.parameters(operation.query, 'query').filter(
          ({ name }) => !operation.module.includes(`{${String(name)}}`),
        ),
      ],
      ...(requestBody ? { requestBody } : {}),
      responses: operation.kind === 'rest' ? this.restResponses(operation) : this.actionResponses(operation),
      security: security.map((scheme) => ({ [scheme]: [] })),
      'x-errors': (operation.errors ?? []).map((error) => error.entry.code),
    };
  }

  /** Places in the path of a module call. */
  private placesOfModule({ kind, module }: Operation): JsonSchema[] {
    const places = kind === 'action' ? [...module.matchAll(/\{(\w+)\}/g)] : [];
    return places.map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
  }

  private parameters(model: Model | undefined, place: 'path' | 'query'): JsonSchema[] {
    if (!model) return [];
    return fieldsOf(model).map((field) => ({
      name: field.wireName,
      in: place,
      required: place === 'path' || !field.optional,
      description: describeField(field),
      // Clients write columns as one text (`1,200` or `all`); other lists are one value with commas.
      schema: field.type === 'columns' ? { type: 'string' } : this.schemas.valueOf(field),
      ...(field.type === 'list' ? { style: 'form', explode: false } : {}),
    }));
  }

  private body(operation: Operation): JsonSchema | undefined {
    const spec = operation.body;
    if (!spec) return undefined;
    const element = spec.model ? this.schemas.ref(spec.model) : spec.items ? this.schemas.item(spec.items) : {};
    const list: JsonSchema = { type: 'array', items: element };
    const content = {
      json: json(element),
      jsonList: json(list),
      jsonOneOrList: json({ oneOf: [element, list] }),
      jsonValue: json({}),
      stored: json(element),
      text: { 'text/plain': { schema: { type: 'string' } } },
      form: { 'application/x-www-form-urlencoded': { schema: element }, ...json(element) },
      upload: {
        'multipart/form-data': {
          schema: {
            allOf: [
              ...(spec.model ? [element] : []),
              { type: 'object', properties: { file: { type: 'string', format: 'binary' } }, required: ['file'] },
            ],
          },
        },
      },
    }[spec.kind];
    return { required: spec.required, content };
  }

  /** Describes the handler's result inside (or without) the envelope. */
  private result(operation: Operation): JsonSchema | undefined {
    const { kind, model, doc, list } = operation.reply;
    const described = doc ? { description: doc } : {};
    switch (kind) {
      case 'one':
        return model ? this.schemas.ref(model) : {};
      case 'many':
        return { type: 'array', items: model ? this.schemas.ref(model) : {} };
      case 'rows':
        // Referred to, so that readers find the columns.
        if (model) this.schemas.ref(model);
        return {
          type: 'array',
          items: { type: 'array', items: {} },
          description: model ? `One row per object: values in the order of \`columns\`, see ${model.name}` : 'Rows',
        };
      case 'plain':
        if (!model) return described;
        return list ? { type: 'array', items: this.schemas.ref(model) } : this.schemas.ref(model);
      case 'none':
        return undefined;
      default:
        return described;
    }
  }

  private envelope(operation: Operation): JsonSchema {
    const data = this.result(operation);
    return {
      allOf: [
        {
          type: 'object',
          properties: {
            ...(data ? { data } : {}),
            timestamp: { type: 'integer', format: 'int64', description: 'Newest change, ms UTC' },
            warnings: {
              oneOf: [
                { $ref: '#/components/schemas/Error' },
                { type: 'array', items: { $ref: '#/components/schemas/Error' } },
              ],
            },
          },
        },
        { $ref: '#/components/schemas/Error' },
      ],
    };
  }

  private content(operation: Operation, schema: JsonSchema | undefined): JsonSchema {
    const { kind, mediaType } = operation.reply;
    if (kind === 'file')
      return { [mediaType ?? 'application/octet-stream']: { schema: { type: 'string', format: 'binary' } } };
    if (mediaType) return { [mediaType]: { schema: { type: 'string' } } };
    const body = json(schema ?? {});
    return kind === 'page' ? { 'text/html': { schema: { type: 'string' } }, ...body } : body;
  }

  private actionResponses(operation: Operation): JsonSchema {
    const { kind, doc } = operation.reply;
    const isPlain = kind === 'plain';
    const schema = isPlain ? this.result(operation) : this.envelope(operation);
    return {
      200: {
        description:
          doc ?? (isPlain ? 'The result, or the error fields' : 'Envelope with the result, or with the error fields'),
        content: this.content(
          operation,
          isPlain ? { anyOf: [schema ?? {}, { $ref: '#/components/schemas/Error' }] } : schema,
        ),
      },
      503: { description: 'The module is not available', content: json({ $ref: '#/components/schemas/Error' }) },
    };
  }

  private restResponses(operation: Operation): JsonSchema {
    const { kind, status, doc } = operation.reply;
    const responses: Record<string, JsonSchema> = {
      [String(status ?? 200)]: {
        description: doc ?? 'The result',
        ...(kind === 'none' ? {} : { content: this.content(operation, this.result(operation)) }),
      },
    };
    const byStatus = groupBy(operation.errors ?? [], ({ entry }) => httpStatusOf(entry));
    if (operation.auth !== 'none' && !byStatus.has(401)) byStatus.set(401, []);
    for (const [code, errors] of [...byStatus].sort(([left], [right]) => left - right))
      responses[code] ??= {
        description: errors.length > 0 ? errorLines(errors).join('; ') : 'Authentication is required',
        content: json(operation.errorTextOnly ? errorText : { $ref: '#/components/schemas/Error' }),
      };
    return responses;
  }
}

const errorText: JsonSchema = { type: 'object', properties: { error: { type: 'string' } }, required: ['error'] };

const errorLines = (errors: readonly ErrorFactory[]): string[] =>
  [...new Map(errors.map(({ entry }) => [entry.code, entry])).values()].map(
    (entry) => `\`${entry.code}\` ${entry.message}`,
  );

/** Returns the path of an operation: that of a REST operation, `/<module>?action=<action>` of a module call. */
export function pathOf(operation: Operation): string {
  if (operation.path !== undefined) return operation.path;
  const { module, action, selector } = operation;
  if (action === null) return `/${module}`;
  return `/${module}?action=${action}${selector ? `&${selector.parameter}=${selector.label}` : ''}`;
}

/** Describes one of the two APIs as an OpenAPI 3.1 document, derived from the contracts. */
export function openApiDocument(kind: ApiKind, options: OpenApiOptions = {}): OpenApiDocument {
  return new DocumentWriter(kind, options).write();
}
