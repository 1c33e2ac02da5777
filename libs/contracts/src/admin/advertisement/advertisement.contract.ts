import { action, allowCallers, defineModule, Field, jsonValue, PASSWORD_SCOPE, plain, rest, value } from '../../kit';
import { AdvertisementErrors } from './advertisement.errors';

/** Largest configuration, bytes of JSON. */
export const MAX_ADVERTISEMENT_BYTES = 256 * 1024;
/** Most packages in one request. */
export const MAX_ADVERTISEMENT_PACKAGES = 1_000;

const MAX_ID = 2 ** 31 - 1;

/** A user by login name. */
export class AdvertisementNameQuery {
  @Field.text({ doc: 'Login name within the context', maxLength: 320 }) name!: string;
  @Field.int({ doc: 'Context id', min: 1, max: MAX_ID }) contextId!: number;
}

/** A user by id. */
export class AdvertisementUserQuery {
  @Field.int({ doc: 'Context id', min: 1, max: MAX_ID }) contextId!: number;
  @Field.int({ doc: 'User id', min: 1, max: MAX_ID }) userId!: number;
}

/** A reseller. */
export class AdvertisementResellerQuery {
  @Field.text({ doc: 'Name of the reseller; `default` for contexts without one', maxLength: 128, minLength: 1 })
  reseller!: string;
}

/** A package of a reseller. */
export class AdvertisementPackageQuery extends AdvertisementResellerQuery {
  @Field.text({ doc: 'Name of the package', maxLength: 256, minLength: 1 }) package!: string;
}

/** Outcome for one configuration. */
export class AdvertisementConfigResult {
  @Field.text({ doc: 'Outcome', values: ['CREATED', 'UPDATED', 'DELETED', 'IGNORED', 'ERROR'] }) status!: string;
  @Field.text({ doc: 'What went wrong', optional: true }) error?: string;
}

/** The configuration of one package. */
export class AdvertisementPackageConfig {
  @Field.text({ doc: 'Name of the package' }) package!: string;
  @Field.any({ doc: 'Any JSON value' }) config!: unknown;
}

/** Advertisement for clients. */
export const advertisement = defineModule(
  'advertisement',
  {
    get: action({
      access: allowCallers('what operators made for the user of the session'),
      auth: 'session',
      appScopes: [PASSWORD_SCOPE],
      http: 'GET',
      doc: "Configuration for the user: the user's own preview, else that of his reseller's package, else that of the reseller's package `default`",
      reply: value<unknown>('configuration as it was stored'),
      errors: [AdvertisementErrors.notFound],
    }),
  },
  { service: 'admin' },
);

const config = { doc: 'the configuration as it was stored' };
const stored = jsonValue({ maxBytes: MAX_ADVERTISEMENT_BYTES });
const result = plain<AdvertisementConfigResult>(AdvertisementConfigResult);
const results = plain<AdvertisementConfigResult[]>(AdvertisementConfigResult, { list: true });
const ofUser = [AdvertisementErrors.unknownUser];
const ofReseller = [AdvertisementErrors.unknownReseller];

/** Advertisement configurations for operators. */
export const advertisementConfig = defineModule(
  'advertisement-config',
  {
    putAdvertisementByName: rest<AdvertisementNameQuery, unknown, AdvertisementConfigResult>({
      callers: ['service'],
      http: 'PUT',
      path: '/advertisement/v1/config/name',
      doc: 'Sets the preview of a user, who is given by login name',
      query: AdvertisementNameQuery,
      body: stored,
      reply: result,
      repeatable: true,
      errors: ofUser,
    }),
    getAdvertisementByName: rest<AdvertisementNameQuery, undefined, unknown>({
      callers: ['service'],
      http: 'GET',
      path: '/advertisement/v1/config/name',
      doc: 'The preview of a user, who is given by login name',
      query: AdvertisementNameQuery,
      reply: plain<unknown>(undefined, config),
      errors: [...ofUser, AdvertisementErrors.notFound],
    }),
    deleteAdvertisementByName: rest<AdvertisementNameQuery, undefined, AdvertisementConfigResult>({
      callers: ['service'],
      http: 'DELETE',
      path: '/advertisement/v1/config/name',
      doc: 'Removes the preview of a user, who is given by login name; IGNORED when there is none',
      query: AdvertisementNameQuery,
      reply: result,
      repeatable: true,
      errors: ofUser,
    }),
    putAdvertisementByUserId: rest<AdvertisementUserQuery, unknown, AdvertisementConfigResult>({
      callers: ['service'],
      http: 'PUT',
      path: '/advertisement/v1/config/user',
      doc: 'Sets the preview of a user',
      query: AdvertisementUserQuery,
      body: stored,
      reply: result,
      repeatable: true,
      errors: ofUser,
    }),
    getAdvertisementByUserId: rest<AdvertisementUserQuery, undefined, unknown>({
      callers: ['service'],
      http: 'GET',
      path: '/advertisement/v1/config/user',
      doc: 'The preview of a user',
      query: AdvertisementUserQuery,
      reply: plain<unknown>(undefined, config),
      errors: [...ofUser, AdvertisementErrors.notFound],
    }),
    deleteAdvertisementByUserId: rest<AdvertisementUserQuery, undefined, AdvertisementConfigResult>({
      callers: ['service'],
      http: 'DELETE',
      path: '/advertisement/v1/config/user',
      doc: 'Removes the preview of a user; IGNORED when there is none',
      query: AdvertisementUserQuery,
      reply: result,
      repeatable: true,
      errors: ofUser,
    }),
    putAdvertisementByPackage: rest<AdvertisementPackageQuery, unknown, AdvertisementConfigResult>({
      callers: ['service'],
      http: 'PUT',
      path: '/advertisement/v1/config/package',
      doc: 'Sets the configuration of a package of a reseller',
      query: AdvertisementPackageQuery,
      body: stored,
      reply: result,
      repeatable: true,
      errors: ofReseller,
    }),
    getAdvertisementByPackage: rest<AdvertisementPackageQuery, undefined, unknown>({
      callers: ['service'],
      http: 'GET',
      path: '/advertisement/v1/config/package',
      doc: 'The configuration of a package of a reseller',
      query: AdvertisementPackageQuery,
      reply: plain<unknown>(undefined, config),
      errors: [...ofReseller, AdvertisementErrors.notFound],
    }),
    deleteAdvertisementByPackage: rest<AdvertisementPackageQuery, undefined, AdvertisementConfigResult>({
      callers: ['service'],
      http: 'DELETE',
      path: '/advertisement/v1/config/package',
      doc: 'Removes the configuration of a package of a reseller; IGNORED when there is none',
      query: AdvertisementPackageQuery,
      reply: result,
      repeatable: true,
      errors: ofReseller,
    }),
    putAdvertisementByReseller: rest<AdvertisementResellerQuery, unknown, AdvertisementConfigResult[]>({
      callers: ['service'],
      http: 'PUT',
      path: '/advertisement/v1/config/reseller',
      doc: 'Sets or (config null) removes packages of a reseller, an array of `{package, config}`; one result per element, in order. An object is the configuration of the package `default`',
      query: AdvertisementResellerQuery,
      body: jsonValue({ maxBytes: 4 * MAX_ADVERTISEMENT_BYTES }),
      reply: results,
      repeatable: true,
      errors: ofReseller,
    }),
    getAdvertisementByReseller: rest<AdvertisementResellerQuery, undefined, AdvertisementPackageConfig[]>({
      callers: ['service'],
      http: 'GET',
      path: '/advertisement/v1/config/reseller',
      doc: 'Every package of a reseller with its configuration, sorted by name',
      query: AdvertisementResellerQuery,
      reply: plain<AdvertisementPackageConfig[]>(AdvertisementPackageConfig, { list: true }),
      errors: [...ofReseller, AdvertisementErrors.notFound],
    }),
    deleteAdvertisementByReseller: rest<AdvertisementResellerQuery, undefined, AdvertisementConfigResult[]>({
      callers: ['service'],
      http: 'DELETE',
      path: '/advertisement/v1/config/reseller',
      doc: 'Removes every package of a reseller; one result per package',
      query: AdvertisementResellerQuery,
      reply: results,
      repeatable: true,
      errors: ofReseller,
    }),
  },
  { service: 'admin' },
);
