import { Field } from '../kit';
import { LARGEST_USER_IMAGE } from './user-image.properties';

/** Characters of user names. */
export const USER_NAME = /^[$@%.+a-zA-Z0-9_-]{1,128}$/;
/** Characters of group and resource names. */
export const GROUP_NAME = /^[$@%.+a-zA-Z0-9_ -]{1,128}$/;
/** A mail address as this system stores it: enough to address mail, not the full grammar of RFC 5322. */
export const MAIL_ADDRESS = /^[^\s@<>"(),:;[\]\\]{1,64}@[^\s@<>"(),:;[\]\\]{1,255}$/;

const mail = { pattern: MAIL_ADDRESS, maxLength: 320 };

/** Flags of what a user may use, as far as they differ from the combination. */
export class ModuleAccess {
  @Field.text({ doc: 'Named combination, such as groupware_plus', optional: true, maxLength: 64 }) combination?: string;
  @Field.any({ doc: 'Object of flags, such as {"calendar": true}', optional: true }) flags?: Record<string, boolean>;
}

/** Capabilities that differ from what the module access gives. */
export class CapabilityChange {
  @Field.listOf('text', { doc: 'Capabilities to add', optional: true, maxItems: 200 }) add?: string[];
  @Field.listOf('text', { doc: 'Capabilities to remove', optional: true, maxItems: 200 }) remove?: string[];
}

/** The administrator of a new context. */
export class ContextAdministrator {
  @Field.text({ doc: 'Login name', pattern: USER_NAME }) name!: string;
  @Field.text({ doc: 'Password', writeOnly: true, minLength: 1, maxLength: 1024 }) password!: string;
  @Field.text({ doc: 'Display name; default: given name and surname', optional: true, minLength: 1, maxLength: 320 })
  displayName?: string;
  @Field.text({ doc: 'Given name', optional: true, maxLength: 320 }) givenName?: string;
  @Field.text({ doc: 'Surname', minLength: 1, maxLength: 320 }) surname!: string;
  @Field.text({ doc: 'Primary mail address', ...mail }) email!: string;
  @Field.text({ doc: 'Locale, such as en_US', optional: true, maxLength: 64 }) locale?: string;
  @Field.text({ doc: 'Time zone, such as Europe/Berlin', optional: true, maxLength: 128 }) timezone?: string;
}

/** A new context. */
export class ContextCreation {
  @Field.int({ doc: 'Context id; default: the next free one', optional: true, min: 1 }) id?: number;
  @Field.text({ doc: 'Name; also a login mapping. Default: the id', optional: true, minLength: 1, maxLength: 128 })
  name?: string;
  @Field.listOf('text', { doc: 'Further login mappings', optional: true, maxItems: 100 }) loginMappings?: string[];
  @Field.number({ doc: 'File quota in MB, -1 without limit', optional: true, min: -1 }) quotaMb?: number;
  @Field.listOf('text', { doc: 'Taxonomy types', optional: true, maxItems: 100 }) taxonomyTypes?: string[];
  @Field.text({ doc: 'Shard; default: the one with most room', optional: true, maxLength: 64 }) schema?: string;
  @Field.int({ doc: 'File store; default: the one with most room', optional: true, min: 1 }) filestoreId?: number;
  @Field.object(() => ModuleAccess, {
    doc: 'What users of the context may use; default groupware_plus',
    optional: true,
  })
  moduleAccess?: ModuleAccess;
  @Field.text({
    doc: 'Reseller it belongs to; default: the reseller who creates it, none for the master administrator',
    optional: true,
    maxLength: 64,
  })
  reseller?: string;
  @Field.object(() => ContextAdministrator, { doc: 'The administrator' }) admin!: ContextAdministrator;
}

/** Changes of a context; what is absent stays, null removes. */
export class ContextChange {
  @Field.text({ doc: 'Name', optional: true, minLength: 1, maxLength: 128 }) name?: string;
  @Field.listOf('text', { doc: 'All further login mappings', optional: true, maxItems: 100 }) loginMappings?:
    string[] | null;
  @Field.number({ doc: 'File quota in MB, -1 without limit', optional: true, min: -1 }) quotaMb?: number | null;
  @Field.listOf('text', { doc: 'Taxonomy types', optional: true, maxItems: 100 }) taxonomyTypes?: string[] | null;
  @Field.int({ doc: 'User id of the administrator', optional: true, min: 1 }) adminUserId?: number;
  @Field.boolean({ doc: 'Whether users may log in; false closes all sessions', optional: true }) enabled?: boolean;
  @Field.text({ doc: 'Why it is disabled; goes when it is enabled', optional: true, maxLength: 1024 })
  reason?: string | null;
  @Field.text({ doc: 'Reseller it belongs to; null or empty: none', optional: true, maxLength: 64 }) reseller?:
    string | null;
}

/** A context as operators see it. */
export class ContextData {
  @Field.int({ doc: 'Context id' }) id!: number;
  @Field.text({ doc: 'Name' }) name!: string;
  @Field.boolean({ doc: 'Whether its users may log in' }) enabled!: boolean;
  @Field.text({ doc: 'Why it is disabled', optional: true }) reason?: string;
  @Field.listOf('text', { doc: 'Login mappings: those given, the name and the id' }) loginMappings!: string[];
  @Field.int({ doc: 'User id of the administrator' }) adminUserId!: number;
  @Field.text({ doc: 'Shard' }) schema!: string;
  @Field.int({ doc: 'File store; absent while it is not chosen', optional: true }) filestoreId?: number;
  @Field.number({ doc: 'File quota in MB, -1 without limit' }) quotaMb!: number;
  @Field.number({ doc: 'Files in MB' }) usedMb!: number;
  @Field.text({ doc: 'Reseller', optional: true }) reseller?: string;
  @Field.listOf('text', { doc: 'Taxonomy types' }) taxonomyTypes!: string[];
  @Field.text({ doc: 'Group of contexts' }) contextGroup!: string;
  @Field.object(() => ModuleAccess, { doc: 'What users of the context may use' }) moduleAccess!: ModuleAccess;
  @Field.timestamp({ doc: 'Creation, ms UTC' }) createdAt!: number;
  @Field.text({
    doc: 'Life cycle. provisioning: modules build their defaults, or the context is made in advance; nobody can log in yet',
    values: ['provisioning', 'ready', 'moving', 'deleting'],
  })
  state!: string;
  @Field.int({ doc: 'Counts changes; for If-Match' }) version!: number;
}

/** Whether users of a context may log in. */
export class ContextState {
  @Field.boolean({ doc: 'Whether users may log in; false closes all sessions' }) enabled!: boolean;
  @Field.text({ doc: 'Why', optional: true, maxLength: 1024 }) reason?: string;
}

/** Value of a property of the configuration cascade. */
export class PropertyValue {
  @Field.any({ doc: 'Text, number or boolean' }) value!: string | number | boolean;
}

/** A property of the cascade with its value. */
export class PropertyEntry extends PropertyValue {
  @Field.text({ doc: 'Key' }) name!: string;
}

/** Telephone numbers of a user. */
export class UserPhones {
  @Field.text({ doc: 'Work', optional: true, maxLength: 128 }) business?: string;
  @Field.text({ doc: 'Home', optional: true, maxLength: 128 }) home?: string;
  @Field.text({ doc: 'Mobile', optional: true, maxLength: 128 }) mobile?: string;
  @Field.text({ doc: 'Fax', optional: true, maxLength: 128 }) fax?: string;
}

/** A server of the primary mail account of a user; in a change null removes, and what is absent stays. */
export class MailServer {
  @Field.text({ doc: 'Host; absent: the one of the properties', optional: true, minLength: 1, maxLength: 255 })
  host?: string | null;
  @Field.int({ doc: 'Port; default: that of the protocol', optional: true, loose: true, min: 1, max: 65_535 })
  port?: number | null;
  @Field.boolean({ doc: 'TLS from the first byte', optional: true, loose: true }) secure?: boolean | null;
  @Field.boolean({ doc: 'TLS by STARTTLS', optional: true, loose: true }) starttls?: boolean | null;
  @Field.text({ doc: 'Login; default: as the properties say', optional: true, minLength: 1, maxLength: 320 })
  login?: string | null;
}

/** The servers of a primary mail account; what is absent or null follows the properties of the installation. */
export class MailServers {
  @Field.object(() => MailServer, { doc: 'Mail server', optional: true }) imap?: MailServer | null;
  @Field.object(() => MailServer, { doc: 'Transport server', optional: true }) smtp?: MailServer | null;
}

/** Media types of pictures of users: those that browsers draw and that run nothing. */
export const USER_IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;

/** A picture of a user to keep. */
export class UserImageUpload {
  @Field.text({ doc: 'Bytes in base64', minLength: 4, maxLength: Math.ceil(LARGEST_USER_IMAGE / 3) * 4 }) data!: string;
  @Field.text({ doc: 'Media type, when given that of the bytes', optional: true, values: USER_IMAGE_TYPES })
  contentType?: string;
}

/** The picture of a user. */
export class UserImage {
  @Field.text({ doc: 'Media type', values: USER_IMAGE_TYPES }) contentType!: string;
  @Field.int({ doc: 'Size in bytes' }) sizeBytes!: number;
  @Field.text({ doc: 'Bytes in base64; only where one user is read', optional: true }) data?: string;
}

/** Fields of a user that a creation and a change may both leave out. */
export class UserDetails extends MailServers {
  @Field.boolean({ doc: 'Whether the user may log in; false closes all sessions', optional: true }) enabled?: boolean;
  @Field.text({ doc: 'Display name, unique in the context', optional: true, minLength: 1, maxLength: 320 })
  displayName?: string;
  @Field.text({ doc: 'Given name', optional: true, maxLength: 320 }) givenName?: string | null;
  @Field.listOf('text', { doc: 'All mail addresses', optional: true, maxItems: 100 }) aliases?: string[] | null;
  @Field.text({ doc: 'Locale, such as en_US', optional: true, maxLength: 64 }) locale?: string;
  @Field.text({ doc: 'Time zone, such as Europe/Berlin', optional: true, maxLength: 128 }) timezone?: string;
  @Field.text({ doc: 'Title', optional: true, maxLength: 320 }) title?: string | null;
  @Field.text({ doc: 'Department', optional: true, maxLength: 320 }) department?: string | null;
  @Field.text({ doc: 'Company', optional: true, maxLength: 320 }) company?: string | null;
  @Field.text({ doc: 'Position', optional: true, maxLength: 320 }) position?: string | null;
  @Field.object(() => UserPhones, { doc: 'Telephone numbers', optional: true }) phones?: UserPhones | null;
  @Field.object(() => UserImageUpload, { doc: 'Picture: JPEG, PNG, GIF or WebP', optional: true })
  image?: UserImageUpload | null;
  @Field.number({ doc: 'File quota in MB, -1 without limit', optional: true, min: -1 }) quotaMb?: number | null;
  @Field.object(() => CapabilityChange, { doc: 'Capabilities that differ from the module access', optional: true })
  capabilities?: CapabilityChange | null;
  @Field.listOf('int', {
    doc: 'All groups but 0 and 1, which every new user is in and which stay as they are',
    optional: true,
    maxItems: 1000,
  })
  groups?: number[] | null;
}

/** Changes of a user; what is absent stays, null removes. */
export class UserChange extends UserDetails {
  @Field.text({ doc: 'Login name', optional: true, pattern: USER_NAME }) name?: string;
  @Field.text({ doc: 'Surname', optional: true, minLength: 1, maxLength: 320 }) surname?: string;
  @Field.text({ doc: 'Primary mail address', optional: true, ...mail }) primaryEmail?: string;
  @Field.boolean({ doc: 'As the parameter: a former primary mail address does not stay as alias', optional: true })
  dropOld?: boolean;
}

/** A new user. */
export class UserCreation extends UserDetails {
  @Field.text({ doc: 'Login name', pattern: USER_NAME }) name!: string;
  @Field.text({ doc: 'Surname', minLength: 1, maxLength: 320 }) surname!: string;
  @Field.text({ doc: 'Primary mail address', ...mail }) primaryEmail!: string;
  @Field.text({
    doc: 'Password; this or passwordHash is required',
    optional: true,
    writeOnly: true,
    minLength: 1,
    maxLength: 1024,
  })
  password?: string;
  @Field.text({
    doc: 'Hash {ARGON2}$argon2id$…, {BCRYPT}$2b$… or {SSHA512}…',
    optional: true,
    writeOnly: true,
    maxLength: 1024,
  })
  passwordHash?: string;
  @Field.object(() => ModuleAccess, { doc: 'Module access; default: that of the context', optional: true })
  moduleAccess?: ModuleAccess;
}

/** A user as operators see it. */
export class ProvisionedUser {
  @Field.int({ doc: 'User id' }) id!: number;
  @Field.text({ doc: 'Login name' }) name!: string;
  @Field.boolean({ doc: 'Whether the user may log in' }) enabled!: boolean;
  @Field.text({ doc: 'Display name' }) displayName!: string;
  @Field.text({ doc: 'Given name', optional: true }) givenName?: string;
  @Field.text({ doc: 'Surname' }) surname!: string;
  @Field.text({ doc: 'Primary mail address' }) primaryEmail!: string;
  @Field.listOf('text', { doc: 'All mail addresses, the primary one included' }) aliases!: string[];
  @Field.text({ doc: 'Locale' }) locale!: string;
  @Field.text({ doc: 'Time zone' }) timezone!: string;
  @Field.text({ doc: 'Title', optional: true }) title?: string;
  @Field.text({ doc: 'Department', optional: true }) department?: string;
  @Field.text({ doc: 'Company', optional: true }) company?: string;
  @Field.text({ doc: 'Position', optional: true }) position?: string;
  @Field.object(() => UserPhones, { doc: 'Telephone numbers' }) phones!: UserPhones;
  @Field.object(() => UserImage, { doc: 'Picture', optional: true }) image?: UserImage;
  @Field.boolean({ doc: 'Always false: guests are not provisioned' }) guest!: boolean;
  @Field.boolean({ doc: 'Whether this is the administrator of the context' }) isAdmin!: boolean;
  @Field.listOf('int', { doc: 'Groups, 0 included' }) groups!: number[];
  @Field.object(() => MailServer, { doc: 'Server of the primary mail account, where one is set', optional: true })
  imap?: MailServer;
  @Field.object(() => MailServer, { doc: 'Transport server of that account, where one is set', optional: true })
  smtp?: MailServer;
  @Field.number({ doc: 'File quota in MB', optional: true }) quotaMb?: number;
  @Field.object(() => ModuleAccess, { doc: 'Module access' }) moduleAccess!: ModuleAccess;
  @Field.object(() => CapabilityChange, { doc: 'Capabilities that differ from the module access' })
  capabilities!: CapabilityChange;
  @Field.timestamp({ doc: 'Last login, ms UTC', optional: true }) lastLogin?: number;
  @Field.timestamp({ doc: 'Creation, ms UTC' }) createdAt!: number;
  @Field.text({
    doc: 'In the answer of the creation only. ready: modules built what they give every new user; provisioning: the call did not wait for them',
    optional: true,
    values: ['provisioning', 'ready'],
  })
  state?: string;
  @Field.int({ doc: 'Counts changes; for If-Match' }) version!: number;
}

/** A new password. */
export class PasswordChange {
  @Field.text({ doc: 'New password', writeOnly: true, minLength: 1, maxLength: 1024 }) password!: string;
  @Field.boolean({
    doc: 'The user must choose another one (passwordchange?action=renew) before the next login. Until then calls of the REST API with it are answered as with a wrong one',
    optional: true,
  })
  mustChange?: boolean;
  @Field.boolean({ doc: 'Leave the sessions of the user open', optional: true }) keepSessions?: boolean;
}

/** Fields of a group that a creation and a change may both leave out. */
export class GroupDetails {
  @Field.text({ doc: 'Display name', optional: true, minLength: 1, maxLength: 320 }) displayName?: string;
  @Field.listOf('int', { doc: 'All members', optional: true }) members?: number[] | null;
}

/** Changes of a group; what is absent stays, null removes. */
export class GroupChange extends GroupDetails {
  @Field.text({ doc: 'Name', optional: true, pattern: GROUP_NAME }) name?: string;
}

/** A new group. */
export class GroupCreation extends GroupDetails {
  @Field.text({ doc: 'Name', pattern: GROUP_NAME }) name!: string;
}

/** A group. */
export class ProvisionedGroup {
  @Field.int({ doc: 'Group id; users, groups and resources share one number space, except groups 0 and 1' })
  id!: number;
  @Field.text({ doc: 'Name' }) name!: string;
  @Field.text({ doc: 'Display name' }) displayName!: string;
  @Field.listOf('int', { doc: 'User ids of the members' }) members!: number[];
  @Field.int({ doc: 'Counts changes; for If-Match' }) version!: number;
}

/** Privilege of a user or group on a resource. */
export class ResourcePrivilege {
  @Field.int({ doc: 'User or group id', min: 0 }) entity!: number;
  @Field.boolean({ doc: 'Whether the entity is a group', optional: true }) group?: boolean;
  @Field.text({ doc: 'Privilege', values: ['none', 'ask_to_book', 'book_directly', 'delegate'] }) privilege!: string;
}

/** Fields of a resource that a creation and a change may both leave out. */
export class ResourceDetails {
  @Field.text({ doc: 'Display name', optional: true, minLength: 1, maxLength: 320 }) displayName?: string;
  @Field.text({ doc: 'Description', optional: true, maxLength: 4096 }) description?: string | null;
  @Field.boolean({ doc: 'Whether it can be booked', optional: true }) available?: boolean;
  @Field.text({ doc: 'Kind', optional: true, values: ['RESOURCE', 'ROOM'] }) type?: string;
  @Field.int({ doc: 'Number of seats', optional: true, min: 0 }) capacity?: number | null;
  @Field.list(() => ResourcePrivilege, { doc: 'Who may book', optional: true, maxItems: 1000 })
  privileges?: ResourcePrivilege[] | null;
}

/** Changes of a resource; what is absent stays, null removes. */
export class ResourceChange extends ResourceDetails {
  @Field.text({ doc: 'Name', optional: true, pattern: GROUP_NAME }) name?: string;
  @Field.text({ doc: 'Mail address', optional: true, ...mail }) email?: string;
}

/** A new resource. */
export class ResourceCreation extends ResourceDetails {
  @Field.text({ doc: 'Name', pattern: GROUP_NAME }) name!: string;
  @Field.text({ doc: 'Mail address', ...mail }) email!: string;
}

/** A resource or room. */
export class ProvisionedResource {
  @Field.int({ doc: 'Resource id' }) id!: number;
  @Field.text({ doc: 'Name' }) name!: string;
  @Field.text({ doc: 'Display name' }) displayName!: string;
  @Field.text({ doc: 'Mail address' }) email!: string;
  @Field.text({ doc: 'Description', optional: true }) description?: string;
  @Field.boolean({ doc: 'Whether it can be booked' }) available!: boolean;
  @Field.text({ doc: 'Kind', values: ['RESOURCE', 'ROOM'] }) type!: string;
  @Field.int({ doc: 'Number of seats', optional: true }) capacity?: number;
  @Field.list(() => ResourcePrivilege, { doc: 'Who may book' }) privileges!: ResourcePrivilege[];
  @Field.int({ doc: 'Counts changes; for If-Match' }) version!: number;
}

/** A row that could not be imported. */
export class ImportRowError {
  @Field.int({ doc: 'Row in the file; the header is row 1' }) row!: number;
  @Field.text({ doc: 'Field', optional: true }) field?: string;
  @Field.text({ doc: 'Error code' }) code!: string;
  @Field.text({ doc: 'What is wrong' }) error!: string;
}

/** Password or invitation that an import made for a user who came without password. */
export class ImportedPassword {
  @Field.int({ doc: 'Row in the file; the header is row 1' }) row!: number;
  @Field.int({ doc: 'User id' }) userId!: number;
  @Field.text({ doc: 'User name' }) name!: string;
  @Field.text({
    doc: 'password: to log in with; invite: a token for passwordchange?action=redeem',
    values: ['password', 'invite'],
  })
  kind!: string;
  @Field.text({ doc: 'The password or token, RSA-OAEP with SHA-256 for the key of the caller, base64' })
  encrypted!: string;
}

/** Some of the passwords that an import made. */
export class ImportedPasswords {
  @Field.list(() => ImportedPassword, { doc: 'Passwords and invitations; nobody gets them again' })
  items!: ImportedPassword[];
  @Field.int({ doc: 'How many are left to take' }) left!: number;
}

/** Work that may outlast the call that began it. */
export class Job {
  @Field.int({ doc: 'Context id' }) contextId!: number;
  @Field.text({ doc: 'Job id' }) id!: string;
  @Field.text({ doc: 'What it does' }) kind!: string;
  @Field.text({ doc: 'State', values: ['running', 'done', 'failed', 'cancelled'] }) state!: string;
  @Field.number({ doc: '0 to 1' }) progress!: number;
  @Field.any({ doc: 'Problems' }) errors!: unknown[];
  @Field.any({
    doc: 'What came of it; of an import: rows, created, changed, unchanged, disabled, and errors with row, field, code and error',
    optional: true,
  })
  result?: unknown;
  @Field.timestamp({ doc: 'Begin, ms UTC' }) createdAt!: number;
  @Field.timestamp({ doc: 'End, ms UTC', optional: true }) finishedAt?: number;
}

/** One page of contexts. */
export class ContextPage {
  @Field.list(() => ContextData, { doc: 'Contexts' }) items!: ContextData[];
  @Field.text({ doc: 'Value of after for the next page', optional: true }) next?: string;
}

/** One page of users. */
export class UserPage {
  @Field.list(() => ProvisionedUser, { doc: 'Users' }) items!: ProvisionedUser[];
  @Field.text({ doc: 'Value of after for the next page', optional: true }) next?: string;
}

/** One page of groups. */
export class GroupPage {
  @Field.list(() => ProvisionedGroup, { doc: 'Groups' }) items!: ProvisionedGroup[];
  @Field.text({ doc: 'Value of after for the next page', optional: true }) next?: string;
}

/** One page of resources. */
export class ResourcePage {
  @Field.list(() => ProvisionedResource, { doc: 'Resources' }) items!: ProvisionedResource[];
  @Field.text({ doc: 'Value of after for the next page', optional: true }) next?: string;
}
