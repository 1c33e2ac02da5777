import { fieldsOf, pathOf, type FieldDescription, type Model, type Operation } from '@groupware/contracts';
import type { Client } from './client';

/** A value that passes the declaration of a field, as text of a URL. */
function sampleText(field: FieldDescription): string {
  if (field.allowed) return String(field.allowed[0]);
  switch (field.type) {
    case 'columns':
      return '1';
    case 'int':
    case 'number':
      return String(Math.max(field.min ?? 1, 1));
    case 'time':
    case 'date':
    case 'timestamp':
      return '86400000';
    case 'boolean':
      return 'true';
    case 'list':
      return '1';
    default: {
      if (!field.pattern) return '1';
      // Of a choice the first: `^(OFF|ERROR)$`.
      const choice = /^\^\(([\w-]+)\|/.exec(field.pattern.source)?.[1];
      const texts = ['1', 'a', '00000000-0000-4000-8000-000000000000', ...(choice ? [choice] : [])];
      return texts.find((text) => field.pattern!.test(text))!;
    }
  }
}

/** Required fields of a model. */
export const requiredFields = (model: Model | undefined): FieldDescription[] =>
  model ? fieldsOf(model).filter((field) => !field.optional && !field.readOnly) : [];

/** Query parameters that the gateway accepts for an operation. */
export const sampleQuery = (operation: Operation): Record<string, string> => ({
  ...Object.fromEntries(requiredFields(operation.query).map((field) => [field.wireName, sampleText(field)])),
  ...(operation.selector && { [operation.selector.parameter]: operation.selector.sample }),
});

/** Path of a REST operation with sample values for its places. */
export const samplePath = (operation: Operation, values: Readonly<Record<string, string | number>> = {}): string =>
  operation.path!.replace(/\{([^}]+)\}/g, (_place, name: string) => {
    const field = operation.params && fieldsOf(operation.params).find((candidate) => candidate.wireName === name);
    return String(values[name] ?? (field ? sampleText(field) : '1'));
  });

/** A value that passes the declaration of a field, in JSON. */
export function sampleValue(field: FieldDescription): unknown {
  const text = sampleText(field);
  switch (field.type) {
    case 'int':
    case 'number':
    case 'time':
    case 'date':
    case 'timestamp':
      return Number(text);
    case 'boolean':
      return true;
    case 'object':
      return field.model ? sampleObject(field.model()) : {};
    case 'list':
      return field.model ? [sampleObject(field.model())] : [field.items === 'text' || field.items === 'id' ? '1' : 1];
    default:
      return text;
  }
}

const sampleObject = (model: Model): object =>
  Object.fromEntries(requiredFields(model).map((field) => [field.wireName, sampleValue(field)]));

/** A body that the gateway accepts for an operation. */
export function sampleBody({ body }: Operation): unknown {
  const one = body?.model ? sampleObject(body.model) : body?.items === 'int' ? 1 : body?.items ? '1' : {};
  return body?.kind === 'jsonList' || body?.kind === 'jsonOneOrList' ? [one] : one;
}

/** Path of a module call, with something in its places. */
export const modulePath = ({ module }: Pick<Operation, 'module'>): string => module.replace(/\{[^}]+\}/g, '1');

/** One module call as it goes over the wire; the session of the client is used unless the query says otherwise. */
export async function callOperation(
  client: Client,
  operation: Operation,
  query: Readonly<Record<string, string | undefined>>,
  init: RequestInit = {},
): Promise<{ status: number; body: any; headers: Headers }> {
  const response = await client.fetch(
    operation.http,
    `/${modulePath(operation)}`,
    { ...(operation.action === null ? {} : { action: operation.action }), session: client.session, ...query },
    init,
  );
  // A stream never ends by itself.
  const isOpen = operation.reply.kind === 'stream' && response.headers.get('content-type')?.includes('event-stream');
  if (isOpen) await response.body!.cancel();
  const text = isOpen ? '' : await response.text();
  let body: any = text;
  try {
    body = JSON.parse(text);
  } catch {
    // The page of a form upload; the caller looks at the text.
  }
  return { status: response.status, body, headers: response.headers };
}

/** Name of an operation, after which a test is called. */
export const nameOf = (operation: Operation): string => `${operation.http} ${pathOf(operation)}`;
