import {
  defineModule,
  Field,
  json,
  none,
  plain,
  requireRights,
  rest,
  type Access,
  type AdminCaller,
  type BodySpec,
  type ErrorFactory,
  type HttpMethod,
  type Model,
  type ReplySpec,
} from '../kit';
import { CONTEXT_RIGHTS } from './directory.access';
import { DeleteQuery, JobListQuery, PageQuery } from './provisioning.queries';
import { InstallationErrors, ProvisioningErrors } from './identity.errors';
import {
  AccessCombination,
  AccessCombinationFlags,
  AccessCombinationPage,
  COMBINATION_NAME,
  Count,
  Filestore,
  FilestoreChange,
  FilestoreCreation,
  FilestorePage,
  JobPage,
  PreAssemblyRequest,
  PreAssemblyResponse,
  Schema,
  SchemaChange,
  SchemaCreation,
  SchemaPage,
  SHARD_NAME,
} from './installation.models';
import { Job } from './provisioning.models';

/** Place `{filestore-id}`. */
export class FilestorePath {
  @Field.int({ name: 'filestore-id', doc: 'File store', min: 1 }) filestoreId!: number;
}
/** Place `{schema}`. */
export class SchemaPath {
  @Field.text({ doc: 'Shard', pattern: SHARD_NAME }) schema!: string;
}
/** Place `{name}` of a set of flags. */
export class CombinationPath {
  @Field.text({ doc: 'Name', pattern: COMBINATION_NAME }) name!: string;
}
/** Place `{job-id}` of a job of any context. */
export class AnyJobPath {
  @Field.text({ name: 'job-id', doc: 'Job id', maxLength: 64 }) jobId!: string;
}
/** Which contexts to count. */
export class ContextCountQuery {
  @Field.text({ doc: 'Shard', optional: true, maxLength: 64 }) schema?: string;
  @Field.int({ doc: 'File store', optional: true }) filestore?: number;
  @Field.boolean({ doc: 'Only enabled or only disabled ones', optional: true }) enabled?: boolean;
}

interface Options<B, R> {
  http: HttpMethod;
  path: string;
  doc: string;
  body?: BodySpec<B>;
  reply: ReplySpec<R>;
  errors?: readonly ErrorFactory[];
  deadlineMs?: number;
  idempotency?: 'own';
  callers: readonly AdminCaller[];
  access?: Access;
}

function operationAt<P extends object, Q extends object = object, B = undefined, R = unknown>(
  params: Model<P> | undefined,
  query: Model<Q> | undefined,
  options: Options<B, R>,
) {
  return rest<P & Q, B, R>({
    edge: true,
    ...options,
    path: `/admin/v1${options.path}`,
    params,
    query: query as unknown as Model<P & Q> | undefined,
  });
}

const { noFilestore, filestoreInUse, noSchema, schemaExists, schemaInUse, noAddress, badUri } = InstallationErrors;
const { noCombination, combinationFixed } = InstallationErrors;
const { unknownAccess, jobNotFound, keyReused } = ProvisioningErrors;

/** Provisioning of what contexts stand on: file stores, shards, named sets of flags; and jobs of all contexts. */
export const installation = defineModule(
  'installation',
  {
    listFilestores: operationAt(undefined, PageQuery, {
      http: 'GET',
      path: '/filestores',
      callers: ['master'],
      doc: 'Lists file stores with their use',
      reply: plain<FilestorePage>(FilestorePage),
    }),
    createFilestore: operationAt(undefined, undefined, {
      http: 'POST',
      path: '/filestores',
      callers: ['master'],
      idempotency: 'own',
      doc: 'Registers a file store',
      body: json(FilestoreCreation),
      reply: plain<Filestore>(Filestore, { status: 201 }),
      errors: [keyReused, badUri],
    }),
    getFilestore: operationAt(FilestorePath, undefined, {
      http: 'GET',
      path: '/filestores/{filestore-id}',
      callers: ['master'],
      doc: 'Reads a file store with its use',
      reply: plain<Filestore>(Filestore),
      errors: [noFilestore],
    }),
    changeFilestore: operationAt(FilestorePath, undefined, {
      http: 'PATCH',
      path: '/filestores/{filestore-id}',
      callers: ['master'],
      doc: 'Changes a file store',
      body: json(FilestoreChange),
      reply: plain<Filestore>(Filestore),
      errors: [noFilestore, badUri],
    }),
    deleteFilestore: operationAt(FilestorePath, DeleteQuery, {
      http: 'DELETE',
      path: '/filestores/{filestore-id}',
      callers: ['master'],
      doc: 'Forgets a file store that no context uses; its bytes are left alone',
      reply: none(204),
      errors: [noFilestore, filestoreInUse],
    }),
    listSchemas: operationAt(undefined, PageQuery, {
      http: 'GET',
      path: '/schemas',
      callers: ['master'],
      doc: 'Lists shards',
      reply: plain<SchemaPage>(SchemaPage),
    }),
    createSchema: operationAt(undefined, undefined, {
      http: 'POST',
      path: '/schemas',
      callers: ['master'],
      idempotency: 'own',
      doc: 'Registers a shard. Its database exists and is empty; contexts can live there after twice the lease of shards',
      body: json(SchemaCreation),
      reply: plain<Schema>(Schema, { status: 201 }),
      errors: [keyReused, schemaExists, noAddress],
    }),
    getSchema: operationAt(SchemaPath, undefined, {
      http: 'GET',
      path: '/schemas/{schema}',
      callers: ['master'],
      doc: 'Reads a shard',
      reply: plain<Schema>(Schema),
      errors: [noSchema],
    }),
    changeSchema: operationAt(SchemaPath, undefined, {
      http: 'PATCH',
      path: '/schemas/{schema}',
      callers: ['master'],
      doc: 'Changes a shard',
      body: json(SchemaChange),
      reply: plain<Schema>(Schema),
      errors: [noSchema],
    }),
    deleteSchema: operationAt(SchemaPath, DeleteQuery, {
      http: 'DELETE',
      path: '/schemas/{schema}',
      callers: ['master'],
      doc: 'Forgets a shard without contexts; its database is left alone',
      reply: none(204),
      errors: [noSchema, schemaInUse],
    }),
    listAccessCombinations: operationAt(undefined, PageQuery, {
      http: 'GET',
      path: '/access-combinations',
      callers: ['master'],
      doc: 'Lists named sets of flags of module access',
      reply: plain<AccessCombinationPage>(AccessCombinationPage),
    }),
    getAccessCombination: operationAt(CombinationPath, undefined, {
      http: 'GET',
      path: '/access-combinations/{name}',
      callers: ['master'],
      doc: 'Reads a named set of flags',
      reply: plain<AccessCombination>(AccessCombination),
      errors: [noCombination],
    }),
    setAccessCombination: operationAt(CombinationPath, undefined, {
      http: 'PUT',
      path: '/access-combinations/{name}',
      callers: ['master'],
      doc: 'Makes or replaces a named set of flags. Contexts and users that have it keep the flags they got',
      body: json(AccessCombinationFlags),
      reply: plain<AccessCombination>(AccessCombination),
      errors: [unknownAccess, combinationFixed],
    }),
    deleteAccessCombination: operationAt(CombinationPath, DeleteQuery, {
      http: 'DELETE',
      path: '/access-combinations/{name}',
      callers: ['master'],
      doc: 'Removes a named set of flags. Contexts and users that have it keep the flags they got',
      reply: none(204),
      errors: [noCombination, combinationFixed],
    }),
    listAllJobs: operationAt(undefined, JobListQuery, {
      http: 'GET',
      path: '/jobs',
      access: requireRights(CONTEXT_RIGHTS.responsible),
      callers: ['reseller', 'master'],
      doc: 'Lists jobs of all contexts, of resellers those of their own ones, the newest first',
      reply: plain<JobPage>(JobPage),
    }),
    getAnyJob: operationAt(AnyJobPath, undefined, {
      http: 'GET',
      path: '/jobs/{job-id}',
      access: requireRights(CONTEXT_RIGHTS.responsible),
      callers: ['reseller', 'master'],
      doc: 'How far a job of any context is',
      reply: plain<Job>(Job),
      errors: [jobNotFound],
    }),
    cancelAnyJob: operationAt(AnyJobPath, undefined, {
      http: 'DELETE',
      path: '/jobs/{job-id}',
      access: requireRights(CONTEXT_RIGHTS.responsible),
      callers: ['reseller', 'master'],
      doc: 'Ends a job of any context at its next step; what it did stays done',
      reply: plain<Job>(Job),
      errors: [jobNotFound],
    }),
    countContexts: operationAt(undefined, ContextCountQuery, {
      http: 'GET',
      path: '/contexts/count',
      callers: ['master'],
      doc: 'Counts contexts; pre-assembled ones do not count',
      reply: plain<Count>(Count),
    }),
    preAssembleContexts: operationAt(undefined, undefined, {
      http: 'POST',
      path: '/contexts/pre-assemble',
      callers: ['master'],
      idempotency: 'own',
      doc: 'Makes empty contexts that later creations claim. Each is a transaction of its own',
      body: json(PreAssemblyRequest),
      reply: plain<PreAssemblyResponse>(PreAssemblyResponse),
      errors: [
        keyReused,
        InstallationErrors.preAssemblyOff,
        InstallationErrors.unknownSchema,
        InstallationErrors.unknownFilestore,
      ],
      deadlineMs: 120_000,
    }),
  },
  { service: 'identity' },
);
