import fs from 'node:fs';
import path from 'node:path';
import { fieldOfColumn, fieldsOf, type Model, operations, type Operation } from '@groupware/contracts';
import { noteRows, noteTyped } from './answer-values';
import { isRecord, wrongObject, wrongValue } from './contract-models';
import { nameOf } from './samples';

// Answers of module calls are compared with the contracts of the product and, apart from them, with the models of the API's
// reference, so that contract and product can't agree on something that clients do not expect.

/** A type of the reference: `string`, `array<row|integer>`, the name of a model … */
type TypeName = string;

interface ReferenceOperation {
  readonly module: string;
  readonly action: string;
  readonly method: string;
  readonly response: string | null;
}

const read = <T>(name: string): T =>
  JSON.parse(
    fs.readFileSync(path.join(__dirname, '..', 'libs', 'contracts', 'reference', `${name}.json`), 'utf8'),
  ) as T;
const models = read<Record<string, Record<string, TypeName>>>('models');
const columns = read<Record<string, { id: number; name: string; type: string }[]>>('columns');
const keyOf = (method: string, module: string, action: string | null): string => `${method} ${module} ${action ?? ''}`;
const reference = new Map(
  read<ReferenceOperation[]>('operations').map((each) => [keyOf(each.method, each.module, each.action), each]),
);
const contracts = new Map(
  operations.flatMap((each) => (each.kind === 'action' ? [[keyOf(each.http, each.module, each.action), each]] : [])),
);

const COLUMN_TABLES: Readonly<Record<string, string>> = {
  attachment: 'attachments',
  calendar: 'calendar',
  folders: 'folders',
  user: 'users',
  account: 'mailaccount',
};

const PLAIN: Readonly<Record<string, (value: unknown) => boolean>> = {
  any: () => true,
  row: Array.isArray,
  string: (value) => typeof value === 'string',
  integer: Number.isSafeInteger,
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  object: isRecord,
};

/** Parts of a type that are separated by `|` and not within `<>`. */
const alternativesOf = (type: TypeName): string[] => type.match(/(?:<.*>|[^|])+/g)!;

/** Finds the parts of a value that do not fit a type of the reference. Names that it does not have are left to the contract. */
function misfits(type: TypeName, value: unknown, where: string, strict: boolean): string[] {
  const alternatives = alternativesOf(type);
  if (alternatives.length > 1) {
    const found = alternatives.map((each) => misfits(each, value, where, strict));
    return found.some((each) => each.length === 0) ? [] : [`${where} is no ${type}`];
  }
  const element = /^array<(.*)>$/.exec(type)?.[1];
  if (element !== undefined) {
    if (!Array.isArray(value)) return [`${where} is no list`];
    return value.flatMap((each: unknown) => misfits(element, each, `${where}[]`, strict));
  }
  const fits = PLAIN[type];
  if (fits) return fits(value) ? [] : [`${where} is no ${type}`];
  return misfitFields(type, value, where, strict);
}

function misfitFields(name: string, value: unknown, where: string, strict: boolean): string[] {
  const model = models[name];
  if (!model) return [];
  if (!isRecord(value)) return [`${where} is no ${name}`];
  return Object.entries(value).flatMap(([field, inner]) => {
    // The reference counts what all answers have to none of them: a model of nothing else is an error among data.
    const known = Object.keys(model).length > 0 ? model : ERROR_FIELDS;
    const type = Object.hasOwn(known, field) ? known[field] : undefined;
    if (type === undefined) return strict ? [`${where}.${field} is not in ${name}`] : [];
    return misfits(type, inner, `${where}.${field}`, strict);
  });
}

const ERROR_FIELDS: Readonly<Record<string, TypeName>> = {
  error: 'string',
  error_params: 'array<string>',
  error_id: 'string',
  error_desc: 'string',
  code: 'string',
  categories: 'string|array<string>',
  category: 'integer',
};

/** Finds what is missing in an error, or does not fit. */
const wrongError = (envelope: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(ERROR_FIELDS).flatMap(([field, type]) => misfits(type, envelope[field], `error.${field}`, false));

const cellType = (type: string): TypeName | undefined => {
  if (type.endsWith('[]')) return 'array<any>';
  if (/^(int|time|date|timestamp)\b/.test(type)) return 'integer';
  return /^(string|boolean|number)\b/.exec(type)?.[1];
};

/** Finds cells that do not fit the columns of the request. */
function wrongRows(operation: Operation, list: unknown, wanted: readonly string[]): string[] {
  if (!Array.isArray(list)) return ['data is no list'];
  const table = columns[COLUMN_TABLES[operation.module] ?? ''] ?? [];
  const model = operation.reply.model as Model;
  const cells = wanted.map((column) => {
    const field = /^\d+$/.test(column)
      ? fieldOfColumn(model, Number(column))
      : fieldsOf(model).find(({ wireName }) => wireName === column);
    return { field, type: cellType(table.find(({ id }) => id === field?.column)?.type ?? '') };
  });
  // Aliases of several columns, and all of them.
  if (wanted.length === 0 || cells.some(({ field }) => !field)) return [];
  return list.flatMap((row: unknown) => {
    // Deletions among updates.
    if (!Array.isArray(row)) return operation.action === 'updates' ? [] : ['row is no list'];
    if (row.length !== cells.length) return [`row has ${row.length} cells, not ${cells.length}`];
    return cells.flatMap(({ field, type }, index) => {
      const cell: unknown = row[index];
      const where = `row.${field!.wireName}`;
      if (cell === null) return [];
      return [...wrongValue(field!, cell, where, true), ...(type ? misfits(type, cell, where, false) : [])];
    });
  });
}

/** Finds the parts of an answer that do not fit the contract. */
function wrongByContract(operation: Operation, answer: Record<string, unknown>, wanted: readonly string[]): string[] {
  const { kind, model } = operation.reply;
  const { data } = answer;
  if (kind === 'rows') return wrongRows(operation, data, wanted);
  if (!model) return [];
  if (kind === 'one') return wrongObject(model, data, 'data', false);
  if (kind === 'many') {
    if (!Array.isArray(data)) return ['data is no list'];
    return data.flatMap((each) => wrongObject(model, each, 'data[]', false));
  }
  return kind === 'plain' ? wrongObject(model, answer, 'answer', false) : [];
}

function wrongByReference(operation: Operation, answer: Record<string, unknown>): string[] {
  const name = reference.get(keyOf(operation.http, operation.module, operation.action))?.response;
  const model = models[name ?? ''];
  if (!model) return [];
  const strict = !operation.reply.model;
  if ('data' in model) return 'data' in answer ? misfits(model.data, answer.data, 'data', strict) : [];
  return misfitFields(name!, answer, 'answer', false);
}

/** Differences from the models of the reference that are on purpose. Its texts, or decisions about them, say otherwise. */
const DEVIATIONS: readonly RegExp[] = [
  // Items of news have fields; the reference says text, where clients of the API read objects.
  /^(GET|PUT) \/rss: data\[\] is no string/,
  // Ids of attachments are numbers everywhere.
  /^\w+ \/attachment\?.*\.id is no string/,
  // Deletions are objects that say which occurrence is gone.
  /^GET \/calendar\?action=updates: data\[\] is no row\|integer/,
  // The common fields of objects, the answers of participants, and what names an occurrence belong to both.
  /^GET \/calendar\?action=freebusy: data\[\]\.(last_modified_utc|participants\[\]\.confirm|recurrence_\w+) is not in/,
  // The documents say lists, the models one reminder.
  /^\w+ \/reminder\?action=(range|delete): data is no ReminderData/,
  // Triggers come as a list, as clients take them.
  /^GET \/chronos\/alarm\?action=pending: data is no AlarmTriggerData/,
  // Objects with a message and perhaps an event, as the page on scheduling and clients have them.
  /^PUT \/chronos\/itip\?action=analyze: data\[\]\.annotations\[\] is no string/,
  // Any JSON value.
  /^\w+ \/account\?.*\.meta is no string/,
  // Answers that clients of the original take: null for what is gone, and an error in place of the events of a folder.
  /^PUT \/chronos\?action=list: data\[\] is no EventData/,
  /^PUT \/chronos\?action=all: data\[\]\.error\.\w+ is not in CommonResponse/,
  // By account, also for one.
  /^GET \/account\?action=status: data\.\d+ is not in/,
  // A mail; the text of its headers or its source, which have models of their own, on demand.
  /^GET \/mail\?action=get: data is no string/,
  // The documents say objects that name what was not moved or deleted, and one id for one document.
  /^PUT \/(infostore|files)\?action=(move|delete): data\[\] is no (string|row)/,
  /^GET \/(infostore|files)\?action=move: data is no list/,
  // The object on demand, and ids of several copies.
  /^PUT \/(infostore|files)\?action=(new|update|upload|copy): data is no string/,
  // Prepared mails are mails: no display name is null, files have no content, pictures a Content-ID.
  /^\w+ \/mail\?action=(reply|replyall|forward): data\.(from|to|cc|bcc)\[\]\[\] is no string/,
  /^\w+ \/mail\?action=forward: data\.attachments\[\]\.(\w+ is not in|content is no string)/,
  // The columns of roots beside their ids: older clients read the one, newer ones the other.
  /^\w+ \/mail\?action=thread_references: data\[\]\.\w+ is not in MailThreadReferenceData/,
  // The ids of the mails of a conversation, on demand.
  /^GET \/mail\?action=threadedAll: data\[\]\.thread\[\] is no MailData/,
  // The path of the draft, as clients take it.
  /^PUT \/mail\?action=autosave: data is no list/,
  // The error of a storage stands in its account, as the page on accounts says.
  /^GET \/fileaccount\?action=(all|get): data(\[\])?\.(hasError|error|code|error_params) is not in FileAccountData/,
  // Numbers of the folders concerned, on demand.
  /^PUT \/mail\?action=delete: data is no list/,
  // Tests hold tests, days of the week are texts, absent parts of bodies null: as the texts say.
  /^GET \/mailfilter(\/v2)?\?action=list: data\[\]\.(test\.|actioncmds\[\]\.days)/,
  // Actions on headers and variables, as the page on mail filters has them.
  /^GET \/mailfilter(\/v2)?\?action=list: data\[\]\.actioncmds\[\]\.(name|value|values|last) is not in/,
  /^GET \/mailfilter\/v2\?action=config: data\.options\.MAXREDIRECTS is not in/,
  // A text is a text: so the documents describe contents by their type.
  /^GET \/messaging\/message\?action=get: data\.body is no object/,
  // The challenge of a text message.
  /^PUT \/multifactor\/device\?action=startRegistration: data\.challenge\.phoneNumberTail is not in/,
];

const problems = new Map<string, number>();

/** Notes the values of an answer, by the columns of the contract, or by the models of the reference. */
function noteValues(operation: Operation, answer: Readonly<Record<string, unknown>>, wanted: readonly string[]): void {
  const { kind, model } = operation.reply;
  if (kind === 'rows' && model && Array.isArray(answer.data)) {
    const names = wanted.map((column) =>
      /^\d+$/.test(column)
        ? fieldOfColumn(model, Number(column))?.wireName
        : fieldsOf(model).find(({ wireName }) => wireName === column)?.wireName,
    );
    // Aliases stand for several columns.
    if (!names.includes(undefined)) noteRows(model.name, names, answer.data as unknown[]);
    return;
  }
  const name = reference.get(keyOf(operation.http, operation.module, operation.action))?.response;
  const envelope = models[name ?? ''];
  if (envelope && 'data' in envelope) noteTyped(models, envelope.data, answer.data);
}

/** Notes what of the answer of a module call fits neither its contract nor the reference of the API. */
export function watchAnswer(
  { method, module, action }: { readonly method: string; readonly module: string; readonly action: string | null },
  parameters: Readonly<Record<string, unknown>>,
  answer: unknown,
): void {
  const operation = contracts.get(keyOf(method, module, action));
  if (!operation || !isRecord(answer)) return;
  const wanted = typeof parameters.columns === 'string' ? parameters.columns.split(',') : [];
  if (!('error' in answer)) noteValues(operation, answer, wanted);
  const wrong =
    'error' in answer
      ? wrongError(answer)
      : [...wrongByContract(operation, answer, wanted), ...wrongByReference(operation, answer)];
  for (const what of wrong) {
    const problem = `${nameOf(operation)}: ${what}`;
    if (!DEVIATIONS.some((each) => each.test(problem))) problems.set(problem, (problems.get(problem) ?? 0) + 1);
  }
}

/** Fails when an answer so far did not fit. */
export function expectAnswersKept(): void {
  const found = [...problems].map(([problem, count]) => `${problem} (${count})`);
  problems.clear();
  if (process.env.ANSWERS_FILE) return fs.appendFileSync(process.env.ANSWERS_FILE, found.map((x) => `${x}\n`).join(''));
  if (found.length > 0) throw new Error(`answers that do not fit the models of the API:\n${found.join('\n')}`);
}
