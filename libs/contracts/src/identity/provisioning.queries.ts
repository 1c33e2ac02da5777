import { Field } from '../kit';

/** Place `{context-id}`. */
export class ContextPath {
  @Field.contextId({ name: 'context-id' }) contextId!: number;
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

/** Parameters that lists have in common. */
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
