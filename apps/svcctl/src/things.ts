/** A kind of object of the REST API that can be listed, created, shown, changed and deleted. */
export interface Thing {
  readonly name: string;
  readonly doc: string;
  /** Path of the collection. */
  readonly path: (contextId: string) => string;
  /** True when the objects live in a context. */
  readonly inContext: boolean;
  /** Columns of the table of a list. */
  readonly columns: readonly string[];
  /** Options of create and change, with the fields they set. */
  readonly fields: Readonly<Record<string, { readonly field: string; readonly doc: string }>>;
  /** Field of a new object that takes a password. */
  readonly passwordField?: string;
  /** True when the objects are named by a text. */
  readonly named?: boolean;
  /** Verbs it has, when not all of them. */
  readonly verbs?: readonly ('list' | 'create' | 'show' | 'change' | 'delete')[];
}

const inContext = (collection: string) => (contextId: string) => `/admin/v1/contexts/${contextId}/${collection}`;

const NAMES = {
  name: { field: 'name', doc: 'name' },
  displayname: { field: 'displayName', doc: 'display name' },
};

/** Things that the command line manages. */
export const THINGS: readonly Thing[] = [
  {
    name: 'context',
    doc: 'tenants',
    path: () => '/admin/v1/contexts',
    inContext: false,
    columns: ['id', 'name', 'enabled', 'state', 'adminUserId', 'loginMappings'],
    fields: {
      id: { field: 'id', doc: 'number; default: the next free one' },
      name: { field: 'name', doc: 'name, also a login mapping' },
      mapping: { field: 'loginMappings', doc: 'login mappings, separated by commas' },
      quota: { field: 'quotaMb', doc: 'file quota in MB, -1 without limit' },
      'admin-name': { field: 'admin.name', doc: 'login name of the administrator' },
      'admin-email': { field: 'admin.email', doc: 'mail address of the administrator' },
      'admin-surname': { field: 'admin.surname', doc: 'surname of the administrator' },
      'admin-givenname': { field: 'admin.givenName', doc: 'given name of the administrator' },
      'access-combination-name': { field: 'moduleAccess.combination', doc: 'named module access' },
      'admin-user-id': { field: 'adminUserId', doc: 'user id of the administrator (change)' },
    },
    passwordField: 'admin.password',
  },
  {
    name: 'user',
    doc: 'users of a context',
    path: inContext('users'),
    inContext: true,
    columns: ['id', 'name', 'enabled', 'displayName', 'primaryEmail', 'locale', 'timezone'],
    fields: {
      ...NAMES,
      givenname: { field: 'givenName', doc: 'given name' },
      surname: { field: 'surname', doc: 'surname' },
      email: { field: 'primaryEmail', doc: 'primary mail address' },
      aliases: { field: 'aliases', doc: 'all mail addresses, separated by commas' },
      locale: { field: 'locale', doc: 'locale, such as en_US' },
      timezone: { field: 'timezone', doc: 'time zone, such as Europe/Berlin' },
      enabled: { field: 'enabled', doc: 'true or false' },
      'access-combination-name': { field: 'moduleAccess.combination', doc: 'named module access (create)' },
    },
    passwordField: 'password',
  },
  {
    name: 'group',
    doc: 'groups of a context',
    path: inContext('groups'),
    inContext: true,
    columns: ['id', 'name', 'displayName', 'members'],
    fields: { ...NAMES, members: { field: 'members', doc: 'user ids, separated by commas' } },
  },
  {
    name: 'resource',
    doc: 'resources and rooms of a context',
    path: inContext('resources'),
    inContext: true,
    columns: ['id', 'name', 'displayName', 'email', 'type', 'available', 'capacity'],
    fields: {
      ...NAMES,
      email: { field: 'email', doc: 'mail address' },
      description: { field: 'description', doc: 'description' },
      type: { field: 'type', doc: 'RESOURCE or ROOM' },
      capacity: { field: 'capacity', doc: 'number of seats' },
      available: { field: 'available', doc: 'true or false' },
    },
  },
  {
    name: 'filestore',
    doc: 'file stores',
    path: () => '/admin/v1/filestores',
    inContext: false,
    columns: ['id', 'uri', 'sizeMb', 'usedMb', 'maxContexts', 'contexts'],
    fields: {
      uri: { field: 'uri', doc: 'file:///folder or s3://bucket/prefix' },
      'size-mb': { field: 'sizeMb', doc: 'size in MB, -1 without limit' },
      'max-contexts': { field: 'maxContexts', doc: 'most contexts, -1 without limit' },
    },
  },
  {
    name: 'schema',
    doc: 'shards',
    path: () => '/admin/v1/schemas',
    inContext: false,
    named: true,
    columns: ['schema', 'dsnRef', 'maxContexts', 'contexts', 'state'],
    fields: {
      schema: { field: 'schema', doc: 'name (create)' },
      'dsn-ref': { field: 'dsnRef', doc: 'name of its address in DATABASE_URLS (create)' },
      'max-contexts': { field: 'maxContexts', doc: 'most contexts, -1 without limit' },
      state: { field: 'state', doc: 'open or closed' },
    },
  },
  {
    name: 'access-combination',
    doc: 'named sets of flags',
    path: () => '/admin/v1/access-combinations',
    inContext: false,
    named: true,
    verbs: ['list', 'show', 'delete'],
    columns: ['name', 'builtIn', 'flags'],
    fields: {},
  },
  {
    name: 'reseller',
    doc: 'resellers',
    path: () => '/admin/v1/resellers',
    inContext: false,
    named: true,
    verbs: ['list', 'show', 'delete'],
    columns: ['name', 'displayName', 'parent'],
    fields: {},
  },
];

/** Fields that hold lists: their options take commas. */
export const LIST_FIELDS: ReadonlySet<string> = new Set(['loginMappings', 'aliases', 'members']);
/** Fields that hold texts even when they look like numbers. */
export const TEXT_FIELDS: ReadonlySet<string> = new Set([
  'name',
  'displayName',
  'givenName',
  'surname',
  'description',
  'schema',
  'dsnRef',
  'uri',
]);
