/** One argument of a command. */
export interface Argument {
  readonly name: string;
  readonly kind: 'number' | 'text';
  readonly doc: string;
}

/** One option of a command and where its value goes. */
export interface CallOption {
  readonly doc: string;
  readonly to: 'query' | 'body';
  readonly field: string;
  readonly kind: 'number' | 'text' | 'flag' | 'texts';
  readonly required?: boolean;
}

/** A command that is one call of the REST API. */
export interface CallCommand {
  readonly thing: string;
  readonly verb: string;
  /** Other names: things have the same verbs as far as they can. */
  readonly aliases?: readonly string[];
  readonly doc: string;
  readonly arguments: readonly Argument[];
  readonly method: string;
  readonly path: (...values: string[]) => string;
  readonly options?: Readonly<Record<string, CallOption>>;
  /** True when the answer is a job that may be waited for. */
  readonly job?: boolean;
  /** True when the answer is only whether there is something. */
  readonly exists?: boolean;
}

const context: Argument = { name: 'context', kind: 'number', doc: 'number of the context' };
const user: Argument = { name: 'id', kind: 'number', doc: 'number of the user' };
const text = (name: string, doc: string): Argument => ({ name, kind: 'text', doc });
const of = (...parts: string[]): string => `/admin/v1/${parts.map(encodeURIComponent).join('/')}`;

const existence = (thing: string, collection: string): CallCommand => ({
  thing,
  verb: 'exists',
  doc: 'Tells by the exit code whether there is one of that number',
  arguments: [context, { name: 'id', kind: 'number', doc: `number of the ${thing}` }],
  method: 'GET',
  path: (contextId, id) => of('contexts', contextId, collection, id),
  exists: true,
});

const of2fa = (contextId: string, userId: string, ...rest: string[]): string =>
  of('contexts', contextId, 'users', userId, 'multifactor', ...rest);

/** Options of one server of a mail account: `--imap-host` and so on. */
const mailServer = (side: string, doc: string): Record<string, CallOption> => ({
  [`${side}-host`]: { to: 'body', field: `${side}.host`, kind: 'text', doc: `host of the ${doc}` },
  [`${side}-port`]: { to: 'body', field: `${side}.port`, kind: 'number', doc: 'port; default: that of the protocol' },
  [`${side}-secure`]: { to: 'body', field: `${side}.secure`, kind: 'flag', doc: 'TLS from the first byte' },
  [`${side}-starttls`]: { to: 'body', field: `${side}.starttls`, kind: 'flag', doc: 'TLS by STARTTLS' },
  [`${side}-login`]: { to: 'body', field: `${side}.login`, kind: 'text', doc: `login at the ${doc}` },
});

/** Commands beside listing, creating, showing, changing and deleting. */
export const CALLS: readonly CallCommand[] = [
  {
    thing: 'context',
    verb: 'exists',
    doc: 'Tells by the exit code whether there is a context of that number',
    arguments: [context],
    method: 'GET',
    path: (id) => of('contexts', id),
    exists: true,
  },
  {
    thing: 'context',
    verb: 'count',
    doc: 'Counts contexts',
    arguments: [],
    method: 'GET',
    path: () => of('contexts', 'count'),
    options: {
      schema: { to: 'query', field: 'schema', kind: 'text', doc: 'of this shard' },
      filestore: { to: 'query', field: 'filestore', kind: 'number', doc: 'of this file store' },
    },
  },
  {
    thing: 'context',
    verb: 'quota',
    doc: 'Shows the limits of a context',
    arguments: [context],
    method: 'GET',
    path: (id) => of('contexts', id, 'quota'),
  },
  {
    thing: 'context',
    verb: 'set-quota',
    doc: 'Sets the limits of a context',
    arguments: [context],
    method: 'PUT',
    path: (id) => of('contexts', id, 'quota'),
    options: {
      'filestore-mb': {
        to: 'body',
        field: 'filestoreMb',
        kind: 'number',
        doc: 'files in MB, -1 without',
        required: true,
      },
      calendar: { to: 'body', field: 'items.calendar', kind: 'number', doc: 'most appointments, -1 without' },
      contacts: { to: 'body', field: 'items.contacts', kind: 'number', doc: 'most contacts, -1 without' },
      tasks: { to: 'body', field: 'items.tasks', kind: 'number', doc: 'most tasks, -1 without' },
      attachments: { to: 'body', field: 'items.attachments', kind: 'number', doc: 'most attachments, -1 without' },
    },
  },
  {
    thing: 'context',
    verb: 'move',
    doc: 'Moves the data of a context; nobody can work in it meanwhile',
    arguments: [context],
    method: 'POST',
    path: (id) => of('contexts', id, 'move'),
    options: {
      schema: { to: 'body', field: 'schema', kind: 'text', doc: 'to this shard' },
      filestore: { to: 'body', field: 'filestoreId', kind: 'number', doc: 'to this file store' },
    },
    job: true,
  },
  {
    thing: 'context',
    verb: 'pre-assemble',
    doc: 'Makes empty contexts that later creations claim',
    arguments: [],
    method: 'POST',
    path: () => of('contexts', 'pre-assemble'),
    options: {
      schema: { to: 'body', field: 'schema', kind: 'text', doc: 'on this shard', required: true },
      number: { to: 'body', field: 'number', kind: 'number', doc: 'how many', required: true },
      filestore: { to: 'body', field: 'filestore_id', kind: 'number', doc: 'in this file store' },
    },
  },
  existence('user', 'users'),
  existence('group', 'groups'),
  existence('resource', 'resources'),
  {
    thing: 'user',
    verb: 'count',
    doc: 'Counts the users of a context',
    arguments: [context],
    method: 'GET',
    path: (id) => of('contexts', id, 'users', 'count'),
  },
  {
    thing: 'user',
    verb: 'mail-account',
    doc: 'Sets the servers of the primary mail account; what is left out follows the properties',
    arguments: [context, user],
    method: 'PUT',
    path: (contextId, id) => of('contexts', contextId, 'users', id, 'mail-account'),
    options: { ...mailServer('imap', 'mail server'), ...mailServer('smtp', 'transport server') },
  },
  {
    thing: 'user',
    verb: 'mfa-list',
    doc: 'Lists the second factors of a user',
    arguments: [context, user],
    method: 'GET',
    path: (contextId, id) => of2fa(contextId, id, 'devices'),
  },
  {
    thing: 'user',
    verb: 'mfa-reset',
    doc: 'Removes all second factors of a user',
    arguments: [context, user],
    method: 'DELETE',
    path: (contextId, id) => of2fa(contextId, id, 'devices'),
  },
  {
    thing: 'user',
    verb: 'history',
    doc: 'Lists the changes of the password of a user',
    arguments: [context, user],
    method: 'GET',
    path: (contextId, id) => of('contexts', contextId, 'users', id, 'passwd-changes'),
    options: {
      limit: { to: 'query', field: 'limit', kind: 'number', doc: 'most entries' },
      sort: { to: 'query', field: 'sort', kind: 'text', doc: 'date or client_id, - before it for falling order' },
    },
  },
  {
    thing: 'user',
    verb: 'logins',
    doc: 'Lists the last login of a user with each client',
    arguments: [context, user],
    method: 'GET',
    path: (contextId, id) => of('login-statistics', 'contexts', contextId, 'users', id, 'last-logins'),
    options: { client: { to: 'query', field: 'client', kind: 'text', doc: 'only this client' } },
  },
  {
    thing: 'filestore',
    verb: 'exists',
    doc: 'Tells by the exit code whether there is one of that number',
    arguments: [{ name: 'id', kind: 'number', doc: 'number of the file store' }],
    method: 'GET',
    path: (id) => of('filestores', id),
    exists: true,
  },
  {
    thing: 'access-combination',
    verb: 'set',
    aliases: ['create', 'change'],
    doc: 'Makes or replaces a named set of flags',
    arguments: [text('id', 'name')],
    method: 'PUT',
    path: (name) => of('access-combinations', name),
    options: {
      flags: {
        to: 'body',
        field: 'flags',
        kind: 'texts',
        doc: 'flags that are on, separated by commas',
        required: true,
      },
    },
  },
  {
    thing: 'job',
    verb: 'list',
    doc: 'Lists jobs, of all contexts or of one',
    arguments: [],
    method: 'GET',
    path: () => of('jobs'),
    options: {
      state: { to: 'query', field: 'state', kind: 'text', doc: 'running, done, failed or cancelled' },
      kind: { to: 'query', field: 'kind', kind: 'text', doc: 'such as move-context or import-users' },
      limit: { to: 'query', field: 'limit', kind: 'number', doc: 'most of them' },
    },
  },
  {
    thing: 'job',
    verb: 'list-of',
    doc: 'Lists jobs of a context',
    arguments: [context],
    method: 'GET',
    path: (id) => of('contexts', id, 'jobs'),
  },
  {
    thing: 'job',
    verb: 'passwords',
    doc: 'Takes the passwords and invitations that an import made, each once, encrypted for the key its call named',
    arguments: [context, text('id', 'id of the job')],
    method: 'POST',
    path: (contextId, id) => of('contexts', contextId, 'jobs', id, 'passwords'),
    options: { limit: { to: 'query', field: 'limit', kind: 'number', doc: 'most of them' } },
  },
  {
    thing: 'job',
    verb: 'cancel',
    aliases: ['delete'],
    doc: 'Ends a job of a context at its next step',
    arguments: [context, text('id', 'id of the job')],
    method: 'DELETE',
    path: (contextId, id) => of('contexts', contextId, 'jobs', id),
  },
  {
    thing: 'job',
    verb: 'find',
    doc: 'Shows a job of any context',
    arguments: [text('id', 'id of the job')],
    method: 'GET',
    path: (id) => of('jobs', id),
  },
  {
    thing: 'job',
    verb: 'stop',
    doc: 'Ends a job of any context at its next step',
    arguments: [text('id', 'id of the job')],
    method: 'DELETE',
    path: (id) => of('jobs', id),
  },
];
