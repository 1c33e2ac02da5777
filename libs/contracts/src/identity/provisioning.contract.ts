import {
  defineModule,
  Field,
  json,
  none,
  plain,
  rest,
  upload,
  type BodySpec,
  type ErrorFactory,
  type HttpMethod,
  type Model,
  type ReplySpec,
} from '../kit';
import { RestErrors } from '../edge/edge.errors';
import {
  ContactErrors,
  ContextErrors,
  DirectoryErrors,
  GroupErrors,
  InstallationErrors,
  ProvisioningErrors,
  ResellerErrors,
  ResourceErrors,
} from './identity.errors';
import {
  ContextChange,
  ContextCreation,
  ContextData,
  ContextPage,
  ContextState,
  GroupChange,
  GroupCreation,
  GroupPage,
  ImportedPasswords,
  Job,
  MailServers,
  ModuleAccess,
  PasswordChange,
  PropertyEntry,
  PropertyValue,
  ProvisionedGroup,
  ProvisionedResource,
  ProvisionedUser,
  ResourceChange,
  ResourceCreation,
  ResourcePage,
  UserChange,
  UserCreation,
  UserPage,
} from './provisioning.models';
import { ContextMove, Count, JobPage, Quota } from './installation.models';

/** Place `{context-id}`. */
export class ContextPath {
  @Field.int({ name: 'context-id', doc: 'Context id', min: 1 }) contextId!: number;
}
/** Places of a user's path. */
export class UserPath extends ContextPath {
  @Field.int({ name: 'user-id', doc: 'User id', min: 1 }) userId!: number;
}
/** Places of a group's path. */
export class GroupPath extends ContextPath {
  @Field.int({ name: 'group-id', doc: 'Group id', min: 0 }) groupId!: number;
}
/** Places of a membership's path. */
export class MemberPath extends GroupPath {
  @Field.int({ name: 'user-id', doc: 'User id', min: 1 }) userId!: number;
}
/** Places of a resource's path. */
export class ResourcePath extends ContextPath {
  @Field.int({ name: 'resource-id', doc: 'Resource id', min: 1 }) resourceId!: number;
}
/** Places of a context property's path. */
export class ContextPropertyPath extends ContextPath {
  @Field.text({ doc: 'Key of the property', maxLength: 256 }) property!: string;
}
/** Places of a user property's path. */
export class UserPropertyPath extends UserPath {
  @Field.text({ doc: 'Key of the property', maxLength: 256 }) property!: string;
}
/** Places of a job's path. */
export class JobPath extends ContextPath {
  @Field.text({ name: 'job-id', doc: 'Job id', maxLength: 64 }) jobId!: string;
}

/** What lists have in common. */
export class PageQuery {
  @Field.text({ doc: 'Part of name, id or mail address; * stands for any text', optional: true, maxLength: 256 })
  q?: string;
  @Field.int({ doc: 'Most items of the answer; default 100', optional: true, min: 1, max: 1000 }) limit?: number;
  @Field.text({ doc: 'Value of next of the page before', optional: true, maxLength: 64 }) after?: string;
  @Field.listOf('text', { doc: 'Fields wanted; default all', optional: true, maxItems: 50 }) fields?: string[];
}
/** Filters of the list of contexts. */
export class ContextListQuery extends PageQuery {
  @Field.text({ doc: 'Login mapping', optional: true, maxLength: 256 }) mapping?: string;
  @Field.text({ doc: 'Shard', optional: true, maxLength: 64 }) schema?: string;
  @Field.int({ doc: 'File store', optional: true }) filestore?: number;
  @Field.text({ doc: 'Reseller', optional: true, maxLength: 128 }) reseller?: string;
  @Field.text({ doc: 'Taxonomy type', optional: true, maxLength: 128 }) tag?: string;
  @Field.text({ doc: 'Life cycle', optional: true, values: ['provisioning', 'ready', 'moving', 'deleting'] })
  state?: string;
}
/** Which jobs to list. */
export class JobListQuery extends PageQuery {
  @Field.text({ doc: 'State', optional: true, values: ['running', 'done', 'failed', 'cancelled'] }) state?: string;
  @Field.text({ doc: 'What they do', optional: true, maxLength: 64 }) kind?: string;
}
/** Options of a deletion. */
export class DeleteQuery {
  @Field.boolean({ name: 'missing_ok', doc: 'Answer 200 when there is nothing to delete', optional: true })
  missingOk?: boolean;
}
/** Options of deleting a user. */
export class UserDeleteQuery extends DeleteQuery {
  @Field.text({
    doc: 'User id that gets shared data, or none to delete it; default: the administrator',
    optional: true,
    pattern: /^(\d{1,10}|none)$/,
  })
  reassignTo?: string;
}
/** Options of the creation of a context or user. */
export class CreateQuery {
  @Field.boolean({
    doc: 'false: do not wait for modules to build what they give every new user, such as a default calendar',
    optional: true,
  })
  wait?: boolean;
}
/** Options of a change of a user. */
export class UserChangeQuery {
  @Field.boolean({ doc: 'A former primary mail address does not stay as alias', optional: true }) dropOld?: boolean;
}
/** Options of a change of the module access of a context. */
export class ModuleAccessQuery {
  @Field.boolean({ doc: 'Set it for all users, too', optional: true }) applyToUsers?: boolean;
}
/** How many passwords to take. */
export class TakePasswordsQuery {
  @Field.int({ doc: 'Most of them; default and most 1000', optional: true, min: 1, max: 1000 }) limit?: number;
}
/** Options of an import. */
export class ImportQuery {
  @Field.text({ doc: 'What the file holds', values: ['users', 'groups', 'resources'] }) kind!: string;
  @Field.text({ doc: 'Format; default csv', optional: true, values: ['csv', 'ldif'] }) format?: string;
  @Field.text({
    doc: 'create: existing ones are errors; upsert: they are changed; sync: also disable users that are missing',
    optional: true,
    values: ['create', 'upsert', 'sync'],
  })
  mode?: string;
  @Field.listOf('text', {
    doc: 'Columns or attributes and the fields they fill, as title=field, also where the title is known already; without field they are not read',
    optional: true,
    maxItems: 200,
  })
  map?: string[];
  @Field.boolean({ doc: 'Change nothing, report what would happen', optional: true }) dryRun?: boolean;
  @Field.boolean({ doc: 'Disable even more than a fifth of the users (mode sync)', optional: true }) force?: boolean;
  @Field.text({
    doc: 'What new users without password get. random: one that the policy allows; invite: a token that sets a password once. Absent: such rows are errors',
    optional: true,
    values: ['random', 'invite'],
  })
  passwords?: string;
  @Field.text({
    doc: 'With passwords: the RSA public key, 2048 bits or more, that they are encrypted for; base64url of the SubjectPublicKeyInfo',
    optional: true,
    maxLength: 4096,
  })
  recipient?: string;
}

const MAX_IMPORT_BYTES = 100 * 1024 * 1024;

interface Options<B, R> {
  http: HttpMethod;
  path: string;
  auth?: 'master' | 'contextAdmin';
  doc: string;
  body?: BodySpec<B>;
  reply: ReplySpec<R>;
  errors?: readonly ErrorFactory[];
  deadlineMs?: number;
  resellers?: 'never';
}

/** `edge` brings the headers If-Match and Idempotency-Key's scope, the client address, to handlers. */
function at<P extends object, Q extends object = object, B = undefined, R = unknown>(
  params: Model<P> | undefined,
  query: Model<Q> | undefined,
  options: Options<B, R>,
) {
  return rest<P & Q, B, R, 'master' | 'contextAdmin'>({
    edge: true,
    auth: 'contextAdmin',
    resellers: 'own',
    ...options,
    path: `/admin/v1/contexts${options.path}`,
    params,
    // Path places are merged into the query, so that handlers see one object.
    query: query as unknown as Model<P & Q> | undefined,
  });
}

const path = '/{context-id}';
const { notFound: noContext } = ContextErrors;
const { userNotFound: noUser } = DirectoryErrors;
const master = 'master' as const;
const conflicts = [ProvisioningErrors.addressTaken, ProvisioningErrors.nameTaken, ProvisioningErrors.displayNameTaken];
const pictures = [ContactErrors.imageNotAccepted, ContactErrors.imageTooLarge];
const version = RestErrors.versionMismatch;

/**
 * Provisioning: contexts and what lives in them. Every POST takes an Idempotency-Key; every change and deletion of what has a
 * version takes an If-Match.
 */
export const provisioning = defineModule(
  'provisioning',
  {
    listContexts: at(undefined, ContextListQuery, {
      http: 'GET',
      path: '',
      auth: master,
      doc: 'Lists contexts',
      reply: plain<ContextPage>(ContextPage),
    }),
    createContext: at(undefined, CreateQuery, {
      http: 'POST',
      path: '',
      auth: master,
      doc: 'Creates a context with its administrator',
      body: json(ContextCreation),
      reply: plain<ContextData>(ContextData, { status: 201 }),
      errors: [
        ProvisioningErrors.contextExists,
        ProvisioningErrors.mappingTaken,
        ProvisioningErrors.addressTaken,
        ResellerErrors.parentUnknown,
        ResellerErrors.restricted,
        InstallationErrors.unknownSchema,
        InstallationErrors.unknownFilestore,
        ProvisioningErrors.accessNotAllowed,
        ProvisioningErrors.unknownAccess,
      ],
    }),
    getContext: at(ContextPath, undefined, {
      http: 'GET',
      path,
      doc: 'Reads a context',
      reply: plain<ContextData>(ContextData),
      errors: [noContext],
    }),
    changeContext: at(ContextPath, undefined, {
      http: 'PATCH',
      path,
      auth: master,
      doc: 'Changes a context',
      body: json(ContextChange),
      reply: plain<ContextData>(ContextData),
      errors: [
        noContext,
        ProvisioningErrors.mappingTaken,
        ResellerErrors.restricted,
        version,
        ProvisioningErrors.invalidField,
        ProvisioningErrors.accessNotAllowed,
        noUser,
      ],
    }),
    deleteContext: at(ContextPath, DeleteQuery, {
      http: 'DELETE',
      path,
      auth: master,
      doc: 'Deletes a context with all its data',
      reply: plain<Job>(Job, { status: 202 }),
      errors: [noContext, version],
    }),
    setContextState: at(ContextPath, undefined, {
      http: 'PUT',
      path: `${path}/state`,
      auth: master,
      doc: 'Enables or disables a context; disabling closes all its sessions',
      body: json(ContextState),
      reply: plain<ContextData>(ContextData),
      errors: [noContext, version],
    }),
    getContextAccess: at(ContextPath, undefined, {
      http: 'GET',
      path: `${path}/module-access`,
      auth: master,
      doc: 'What users of the context may use',
      reply: plain<ModuleAccess>(ModuleAccess),
      errors: [noContext],
    }),
    setContextAccess: at(ContextPath, ModuleAccessQuery, {
      http: 'PUT',
      path: `${path}/module-access`,
      auth: master,
      doc: 'Sets what users of the context may use',
      body: json(ModuleAccess),
      reply: plain<ModuleAccess>(ModuleAccess),
      errors: [noContext, version, ProvisioningErrors.unknownAccess, ProvisioningErrors.accessNotAllowed],
    }),
    getContextProperty: at(ContextPropertyPath, undefined, {
      http: 'GET',
      path: `${path}/config/{property}`,
      auth: master,
      doc: 'Value of a property set for the context',
      reply: plain<PropertyEntry>(PropertyEntry),
      errors: [noContext, ProvisioningErrors.propertyNotSet],
    }),
    setContextProperty: at(ContextPropertyPath, undefined, {
      http: 'PUT',
      path: `${path}/config/{property}`,
      auth: master,
      doc: 'Sets a property for the context',
      body: json(PropertyValue),
      reply: plain<PropertyEntry>(PropertyEntry),
      errors: [noContext, ProvisioningErrors.propertyNotSettable, ProvisioningErrors.badPropertyValue],
    }),
    deleteContextProperty: at(ContextPropertyPath, DeleteQuery, {
      http: 'DELETE',
      path: `${path}/config/{property}`,
      auth: master,
      doc: 'Removes the value of a property from the context',
      reply: none(204),
      errors: [noContext, ProvisioningErrors.propertyNotSet],
    }),
    listUsers: at(ContextPath, PageQuery, {
      http: 'GET',
      path: `${path}/users`,
      doc: 'Lists users',
      reply: plain<UserPage>(UserPage),
      errors: [noContext],
    }),
    createUser: at(ContextPath, CreateQuery, {
      http: 'POST',
      path: `${path}/users`,
      doc: 'Creates a user',
      body: json(UserCreation),
      reply: plain<ProvisionedUser>(ProvisionedUser, { status: 201 }),
      errors: [
        noContext,
        ...conflicts,
        ProvisioningErrors.invalidField,
        ...pictures,
        ProvisioningErrors.accessNotAllowed,
        ResellerErrors.restricted,
      ],
    }),
    getUser: at(UserPath, undefined, {
      http: 'GET',
      path: `${path}/users/{user-id}`,
      doc: 'Reads a user',
      reply: plain<ProvisionedUser>(ProvisionedUser),
      errors: [noUser],
    }),
    changeUser: at(UserPath, UserChangeQuery, {
      http: 'PATCH',
      path: `${path}/users/{user-id}`,
      doc: 'Changes a user',
      body: json(UserChange),
      reply: plain<ProvisionedUser>(ProvisionedUser),
      errors: [
        noUser,
        version,
        ...conflicts,
        ...pictures,
        ProvisioningErrors.invalidField,
        ProvisioningErrors.primaryAddressStays,
      ],
    }),
    deleteUser: at(UserPath, UserDeleteQuery, {
      http: 'DELETE',
      path: `${path}/users/{user-id}`,
      doc: 'Deletes a user; shared data goes to the administrator or to the user named',
      reply: none(204),
      errors: [noUser, version, ProvisioningErrors.administratorStays],
    }),
    setPassword: at(UserPath, undefined, {
      http: 'PUT',
      path: `${path}/users/{user-id}/password`,
      doc: 'Sets the password of a user and closes the sessions of the user',
      body: json(PasswordChange),
      reply: none(204),
      errors: [noUser, version],
    }),
    getUserAccess: at(UserPath, undefined, {
      http: 'GET',
      path: `${path}/users/{user-id}/module-access`,
      doc: 'What the user may use',
      reply: plain<ModuleAccess>(ModuleAccess),
      errors: [noUser],
    }),
    setUserAccess: at(UserPath, undefined, {
      http: 'PUT',
      path: `${path}/users/{user-id}/module-access`,
      doc: 'Sets what the user may use, within what the context allows',
      body: json(ModuleAccess),
      reply: plain<ModuleAccess>(ModuleAccess),
      errors: [noUser, version, ProvisioningErrors.accessNotAllowed, ProvisioningErrors.unknownAccess],
    }),
    setMailAccount: at(UserPath, undefined, {
      http: 'PUT',
      path: `${path}/users/{user-id}/mail-account`,
      doc: 'Sets the servers of the primary mail account of a user; the user object shows them as imap and smtp',
      body: json(MailServers),
      reply: plain<MailServers>(MailServers),
      errors: [noUser, version, ProvisioningErrors.invalidField],
    }),
    getUserProperty: at(UserPropertyPath, undefined, {
      http: 'GET',
      path: `${path}/users/{user-id}/config/{property}`,
      doc: 'Value of a property set for the user',
      reply: plain<PropertyEntry>(PropertyEntry),
      errors: [noUser, ProvisioningErrors.propertyNotSet],
    }),
    setUserProperty: at(UserPropertyPath, undefined, {
      http: 'PUT',
      path: `${path}/users/{user-id}/config/{property}`,
      doc: 'Sets a property for the user',
      body: json(PropertyValue),
      reply: plain<PropertyEntry>(PropertyEntry),
      errors: [noUser, ProvisioningErrors.propertyNotSettable, ProvisioningErrors.badPropertyValue],
    }),
    deleteUserProperty: at(UserPropertyPath, DeleteQuery, {
      http: 'DELETE',
      path: `${path}/users/{user-id}/config/{property}`,
      doc: 'Removes the value of a property from the user',
      reply: none(204),
      errors: [noUser, ProvisioningErrors.propertyNotSet],
    }),
    listGroups: at(ContextPath, PageQuery, {
      http: 'GET',
      path: `${path}/groups`,
      doc: 'Lists groups',
      reply: plain<GroupPage>(GroupPage),
      errors: [noContext],
    }),
    createGroup: at(ContextPath, undefined, {
      http: 'POST',
      path: `${path}/groups`,
      doc: 'Creates a group',
      body: json(GroupCreation),
      reply: plain<ProvisionedGroup>(ProvisionedGroup, { status: 201 }),
      errors: [noContext, GroupErrors.nameTaken, GroupErrors.memberUnknown, GroupErrors.guestMember],
    }),
    getGroup: at(GroupPath, undefined, {
      http: 'GET',
      path: `${path}/groups/{group-id}`,
      doc: 'Reads a group',
      reply: plain<ProvisionedGroup>(ProvisionedGroup),
      errors: [GroupErrors.notFound],
    }),
    changeGroup: at(GroupPath, undefined, {
      http: 'PATCH',
      path: `${path}/groups/{group-id}`,
      doc: 'Changes a group',
      body: json(GroupChange),
      reply: plain<ProvisionedGroup>(ProvisionedGroup),
      errors: [
        GroupErrors.notFound,
        GroupErrors.nameTaken,
        GroupErrors.memberUnknown,
        GroupErrors.guestMember,
        GroupErrors.notChangeable,
        version,
        ProvisioningErrors.invalidField,
      ],
    }),
    deleteGroup: at(GroupPath, DeleteQuery, {
      http: 'DELETE',
      path: `${path}/groups/{group-id}`,
      doc: 'Deletes a group',
      reply: none(204),
      errors: [GroupErrors.notFound, version, GroupErrors.notDeletable],
    }),
    addMember: at(MemberPath, undefined, {
      http: 'PUT',
      path: `${path}/groups/{group-id}/members/{user-id}`,
      doc: 'Adds a member; again is no error',
      reply: none(204),
      errors: [GroupErrors.notFound, GroupErrors.memberUnknown, GroupErrors.guestMember, GroupErrors.notChangeable],
    }),
    removeMember: at(MemberPath, DeleteQuery, {
      http: 'DELETE',
      path: `${path}/groups/{group-id}/members/{user-id}`,
      doc: 'Removes a member',
      reply: none(204),
      errors: [GroupErrors.notFound, GroupErrors.memberUnknown, GroupErrors.notChangeable],
    }),
    listResources: at(ContextPath, PageQuery, {
      http: 'GET',
      path: `${path}/resources`,
      doc: 'Lists resources',
      reply: plain<ResourcePage>(ResourcePage),
      errors: [noContext],
    }),
    createResource: at(ContextPath, undefined, {
      http: 'POST',
      path: `${path}/resources`,
      doc: 'Creates a resource',
      body: json(ResourceCreation),
      reply: plain<ProvisionedResource>(ProvisionedResource, { status: 201 }),
      errors: [noContext, ResourceErrors.nameTaken, ResourceErrors.addressTaken],
    }),
    getResource: at(ResourcePath, undefined, {
      http: 'GET',
      path: `${path}/resources/{resource-id}`,
      doc: 'Reads a resource',
      reply: plain<ProvisionedResource>(ProvisionedResource),
      errors: [ResourceErrors.notFound],
    }),
    changeResource: at(ResourcePath, undefined, {
      http: 'PATCH',
      path: `${path}/resources/{resource-id}`,
      doc: 'Changes a resource',
      body: json(ResourceChange),
      reply: plain<ProvisionedResource>(ProvisionedResource),
      errors: [
        ResourceErrors.notFound,
        ResourceErrors.nameTaken,
        ResourceErrors.addressTaken,
        version,
        ProvisioningErrors.invalidField,
      ],
    }),
    deleteResource: at(ResourcePath, DeleteQuery, {
      http: 'DELETE',
      path: `${path}/resources/{resource-id}`,
      doc: 'Deletes a resource',
      reply: none(204),
      errors: [ResourceErrors.notFound, version],
    }),
    importObjects: at(ContextPath, ImportQuery, {
      http: 'POST',
      path: `${path}/import`,
      doc: 'Imports users, groups or resources from a CSV or LDIF file. Rows that fail do not stop the others',
      body: upload(undefined, { maxBytes: MAX_IMPORT_BYTES }),
      reply: plain<Job>(Job, { status: 202 }),
      errors: [noContext, ProvisioningErrors.tooManyWouldBeDisabled, ProvisioningErrors.invalidField],
      deadlineMs: 600_000,
    }),
    takePasswords: at(JobPath, TakePasswordsQuery, {
      http: 'POST',
      path: `${path}/jobs/{job-id}/passwords`,
      doc: 'Hands over the passwords and invitations that an import made, each once, encrypted for the key that its call named',
      reply: plain<ImportedPasswords>(ImportedPasswords),
      errors: [ProvisioningErrors.jobNotFound],
    }),
    countUsers: at(ContextPath, undefined, {
      http: 'GET',
      path: `${path}/users/count`,
      doc: 'Counts users',
      reply: plain<Count>(Count),
      errors: [noContext],
    }),
    getContextQuota: at(ContextPath, undefined, {
      http: 'GET',
      path: `${path}/quota`,
      auth: master,
      doc: 'Limits of the context',
      reply: plain<Quota>(Quota),
      errors: [noContext],
    }),
    setContextQuota: at(ContextPath, undefined, {
      http: 'PUT',
      path: `${path}/quota`,
      auth: master,
      doc: 'Sets the limits of the context. Limits below the use of today are allowed and stop new data',
      body: json(Quota),
      reply: plain<Quota>(Quota),
      errors: [noContext, version, ProvisioningErrors.invalidField, ResellerErrors.restricted],
    }),
    moveContext: at(ContextPath, undefined, {
      http: 'POST',
      path: `${path}/move`,
      auth: master,
      resellers: 'never',
      doc: 'Moves the data of the context to another shard or file store. Nobody can work in it meanwhile',
      body: json(ContextMove),
      reply: plain<Job>(Job, { status: 202 }),
      errors: [
        noContext,
        InstallationErrors.unknownSchema,
        InstallationErrors.unknownFilestore,
        InstallationErrors.moving,
      ],
    }),
    listJobs: at(ContextPath, JobListQuery, {
      http: 'GET',
      path: `${path}/jobs`,
      doc: 'Lists jobs of the context, the newest first',
      reply: plain<JobPage>(JobPage),
    }),
    cancelJob: at(JobPath, undefined, {
      http: 'DELETE',
      path: `${path}/jobs/{job-id}`,
      doc: 'Ends a job at its next step; what it did stays done',
      reply: plain<Job>(Job),
      errors: [ProvisioningErrors.jobNotFound],
    }),
    getJob: at(JobPath, undefined, {
      http: 'GET',
      path: `${path}/jobs/{job-id}`,
      doc: 'How far a job is',
      reply: plain<Job>(Job),
      errors: [ProvisioningErrors.jobNotFound],
    }),
  },
  { service: 'identity' },
);
