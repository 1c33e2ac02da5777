import fs from 'node:fs';
import path from 'node:path';

// The models of the operators' API as its documents have them (API page "Administrative REST API"), apart from the contracts
// of the product: what is checked against these does not agree with itself only.

/**
 * A shape: a name of `MODELS`, a plain type, one of them with `[]` (list) or `|null` behind it, or an object of shapes. A
 * field whose name ends in `?` may be absent; `*` stands for any other name.
 */
type Shape = string | { readonly [field: string]: Shape };

const COUNTS = { context: 'int', user: 'int', retracted: 'int', deferred: 'int', failed: 'int' } as const;
const LIAISONS = { '*': 'int[]' } as const;

const MODELS: Readonly<Record<string, Shape>> = {
  CloseSessionsByContextBody: { contextIds: 'int[]' },
  CloseSessionsByIdBody: { sessionIds: 'string[]' },
  CloseSessionByUserBody: { users: 'ContextUserTuple[]' },
  ContextUserTuple: { contextId: 'int', userId: 'int' },
  CloseSessionsData: { closed: 'string[]' },
  PreAssemblyRequest: { schema: 'string', number: 'int', 'filestore_id?': 'int' },
  PreAssemblyResponse: { contextIds: 'int[]', 'errors?': 'PreAssemblyFailure[]' },
  PreAssemblyFailure: { message: 'string', code: 'string', 'contextId?': 'int' },
  MultifactorDeviceData: {
    id: 'string',
    name: 'string',
    providerName: 'string',
    enabled: 'boolean',
    backup: 'boolean',
  },
  LoginInformation: { enforceMfa: 'boolean', loginCounter: 'int', 'firstLogin?': 'string' },
  PasswordChangeHistoryEntry: {
    date: 'int',
    client_id: 'string',
    'client_address?': 'string',
    'client_name?': 'string',
  },
  LastLoginTimestamps: { timestamps: 'LastLogin[]' },
  LastLogin: { client: 'string', timestamp: 'int' },
  LoginCounts: { sum: 'int', clients: 'LoginCount[]' },
  LoginCount: { client: 'string', count: 'int' },
  SiteAvailabilityUpdates: { previousAvailabilities: 'SiteAvailability[]', newAvailabilities: 'SiteAvailability[]' },
  SiteAvailability: { id: 'string', availability: 'number', '*': 'any' },
  Logger: { name: 'string', level: 'LogLevel' },
  UsersLoggers: { userId: 'string', loggers: 'Logger[]' },
  ContextLoggers: { contextId: 'string', loggers: 'Logger[]' },
  SessionLoggers: { sessionId: 'string', loggers: 'Logger[]' },
  AdvertisementConfig: 'any',
  AdvertisementPackageConfig: { package: 'string', config: 'any' },
  AdvertisementConfigResult: { status: 'AdvertisementStatus', 'error?': 'string' },
  HealthData: {
    status: 'HealthStatus',
    checks: 'HealthCheckData[]',
    service: 'ServiceData',
    blacklist: 'string[]',
    ignorelist: 'string[]',
    'error?': 'string',
  },
  HealthCheckData: { name: 'string', status: 'HealthStatus', 'data?': 'object' },
  ServiceData: {
    name: 'string',
    version: 'string',
    buildDate: 'string',
    date: 'string',
    timeZone: 'string',
    locale: 'string',
    charset: 'string',
  },
  SuccessResponse: { success: 'boolean' },
  RequestData: { method: 'string', url: 'string', remoteIP: 'string', headers: 'Header[]', 'body?': 'string' },
  Header: { name: 'string', value: 'string' },
  AnalysisResult: { marker: 'string', 'headers?': 'AnalysisHeaders', type: 'string' },
  AnalysisHeaders: { 'x-svc-context-id': 'int', 'x-svc-user-id?': 'int', 'x-svc-login?': 'string' },
  FeedbackRecord: { date: 'string', user: 'string', server_version: 'string', client_version: 'string', '*': 'string' },
  FeedbackMailRequest: { 'subject?': 'string', 'body?': 'string', 'compress?': 'boolean', recipients: 'Recipient[]' },
  Recipient: { address: 'string', 'displayName?': 'string', 'pgp_key?': 'string' },
  FeedbackSendResult: {
    'normal?': 'string[]',
    'sign?': 'string[]',
    'encrypt?': 'string[]',
    'pgp?': 'string[]',
    'fail?': 'string[]',
    'pgpFail?': 'string[]',
  },
  FeedbackDeleteResult: {
    successful: 'string',
    type: 'string',
    contextGroup: 'string',
    'start?': 'any',
    'end?': 'any',
  },
  DavClientConfigResponse: {
    'baseRoot?': 'string',
    'caldavRoot?': 'string',
    'carddavRoot?': 'string',
    'basicAuth?': { username: 'string', password: 'string' },
    customization: {
      'productName?': 'string',
      'description?': 'string',
      'logoImage?': 'string',
      'headerImage?': 'string',
    },
    supportInfos: { 'linkDestination?': 'string', 'linkTitle?': 'string', 'description?': 'string' },
  },
  Capability: { id: 'string', attributes: 'object' },
  SessionInfo: { 'context?': 'int', 'user?': 'int', 'guest?': 'boolean' },
  MailResolverResult: { '*': { uid: 'int', cid: 'int', user: { language: 'string', displayName: 'string' } } },
  InboundContext: { context: 'int', entities: 'InboundEntity[]' },
  InboundEntity: { entity: 'int', type: 'string', liaisons: LIAISONS, 'trustZones?': 'string[]' },
  InboundUser: { context: 'int', user: 'int', trustZones: 'string[]', liaisons: LIAISONS },
  InboundPurgeResult: { ...COUNTS, 'skippedNoRetractor?': { '*': 'int' } },
  OutboundPurgeResult: COUNTS,
  OutboundList: { context: 'int', user: 'int', shares: 'OutboundShare[]' },
  OutboundShare: {
    context: 'int',
    entity: 'int',
    type: 'string',
    module: 'string',
    kind: 'string',
    'folder?': 'string',
    'item?': 'string',
    permissions: 'int',
    created: 'any',
  },
  SharedAccount: {
    accountId: 'string',
    entityInfo: {
      identifier: 'string',
      type: 'string',
      display_name: 'string',
      'entity?': 'int',
      contact: {
        'title?': 'string',
        'first_name?': 'string',
        'last_name?': 'string',
        'email1?': 'string',
        'image1_url?': 'string',
      },
    },
    capabilities: 'string[]',
    moduleConfigurations: { '*': { permissions: 'int', folders: 'SharedFolder[]', '*': 'any' } },
  },
  SharedFolder: { id: 'string', name: 'string', permissions: 'int' },
  FreeBusyResult: {
    attendee: { 'entity?': 'int', cuType: 'string', uri: 'string', 'cn?': 'string', 'email?': 'string' },
    'freeBusyTime?': 'FreeBusyPeriod[]',
    'warnings?': 'FreeBusyWarning[]',
  },
  FreeBusyWarning: {
    error: 'string',
    error_params: 'string[]',
    error_id: 'string',
    error_desc: 'string',
    version: 'string',
    code: 'ErrorCode',
    categories: 'string',
    category: 'int',
  },
  FreeBusyPeriod: { startTime: 'int', endTime: 'int', fbType: 'string' },
  ConfigProperties: { '*': 'string' },
  MailValidateSessionResponse: {
    identity: { user: 'string', context: 'string', displayName: 'string|null', primaryEmail: 'string' },
    imap: { host: 'string', port: 'int', secure: 'boolean' },
    auth: { type: 'string', loginName: 'string', secret: 'string', secretExpiresInSeconds: 'int|null' },
    session: { expiresInSeconds: 'int' },
  },
  StandardError: {
    error: 'string',
    error_params: 'string[]',
    error_id: 'string',
    error_desc: 'string',
    'error_stack?': 'string[]',
    'version?': 'string',
    code: 'ErrorCode',
    categories: 'any',
    category: 'int',
    // Fields that some answers have besides: the problem document of the sessions, faults of fields, the object in conflict.
    '*': 'any',
  },
  DavClientErrorResponse: { error: 'string' },
};

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  any: () => true,
  string: (value) => typeof value === 'string',
  int: (value) => Number.isSafeInteger(value),
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  ErrorCode: (value) => /^[A-Z_-]+-\d{4,5}$/.test(String(value)),
  LogLevel: (value) => /^(OFF|ERROR|WARN|INFO|DEBUG|TRACE|ALL)$/i.test(String(value)),
  ExceptionCategory: (value) => /^[A-Z_]+$/.test(String(value)),
  AdvertisementStatus: (value) => /^(CREATED|UPDATED|DELETED|IGNORED|ERROR)$/.test(String(value)),
  HealthStatus: (value) => value === 'UP' || value === 'DOWN',
};

/** Lists what does not fit a shape, in words; empty when everything fits. */
export function misfits(shape: Shape, value: unknown, where = 'body'): string[] {
  if (typeof shape !== 'string') return misfitFields(shape, value, where);
  if (shape.endsWith('|null')) return value === null ? [] : misfits(shape.slice(0, -'|null'.length), value, where);
  if (shape.endsWith('[]')) {
    if (!Array.isArray(value)) return [`${where} is no list`];
    return value.flatMap((item: unknown) => misfits(shape.slice(0, -2), item, `${where}[]`));
  }
  const model = MODELS[shape];
  if (model !== undefined) return misfits(model, value, where);
  const fits = TYPES[shape];
  if (!fits) throw new Error(`no shape ${shape}`);
  return fits(value) ? [] : [`${where} is no ${shape}`];
}

function misfitFields(fields: Readonly<Record<string, Shape>>, value: unknown, where: string): string[] {
  if (!TYPES.object!(value)) return [`${where} is no object`];
  const object = value as Readonly<Record<string, unknown>>;
  const others = fields['*'];
  const declared = Object.entries(fields).filter(([name]) => name !== '*');
  const names = new Set(declared.map(([name]) => name.replace(/\?$/, '')));
  return [
    ...declared.flatMap(([name, shape]) => {
      const plain = name.replace(/\?$/, '');
      if (plain in object) return misfits(shape, object[plain], `${where}.${plain}`);
      return name.endsWith('?') ? [] : [`${where}.${plain} is missing`];
    }),
    ...Object.entries(object)
      .filter(([name]) => !names.has(name))
      .flatMap(([name, other]) =>
        others === undefined ? [`${where}.${name} is not declared`] : misfits(others, other, `${where}.*`),
      ),
  ];
}

/** An operation as the reference of the API has it. */
export interface ReferenceOperation {
  readonly method: string;
  readonly path: string;
  readonly success: { readonly status: number; readonly model: string | null; readonly mediaType: string | null };
  readonly otherStatuses: Readonly<Record<string, string>>;
  readonly body: { readonly model: string; readonly required: boolean } | null;
}

/** The same for paths that differ in the names of their places only. */
const keyOf = (method: string, pattern: string): string => `${method} ${pattern.replace(/\{[^}]+\}/g, '{}')}`;

const file = path.join(__dirname, '..', 'libs', 'contracts', 'reference', 'rest-operations.json');
const reference = new Map(
  (JSON.parse(fs.readFileSync(file, 'utf8')) as ReferenceOperation[]).map((operation) => [
    keyOf(operation.method, operation.path),
    operation,
  ]),
);

/** All operations of the reference. */
export const referenceOperations = (): readonly ReferenceOperation[] => [...reference.values()];

/** The reference of an operation; undefined for those that are the product's own. */
export const referenceOf = (method: string, pattern: string): ReferenceOperation | undefined =>
  reference.get(keyOf(method, pattern));

/** A model of the reference that has a shape here; text formats have none. */
export const hasShape = (model: string): boolean =>
  model.replace(/\[\]$/, '') in MODELS || model.replace(/\[\]$/, '') in TYPES;
