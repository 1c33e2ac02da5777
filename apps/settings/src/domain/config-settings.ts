import {
  contactIdOfUser,
  COOKIE_LIFETIME,
  ALL_FOLDERS_FOR_AUTOCOMPLETE,
  COLLECT_ADDRESSES,
  COLLECT_ON_READING,
  COLLECT_ON_SENDING,
  DEFAULT_STATUS_PRIVATE,
  DEFAULT_STATUS_PUBLIC,
  MAIL_FOLDER_ROLES,
  parseProperty,
  toCompositeId,
  MIN_SEARCH_LENGTH,
  PASSWORD_HINT,
  PASSWORD_MAX_LENGTH,
  PASSWORD_MIN_LENGTH,
  PASSWORD_PATTERN,
  type FolderModule,
  type Property,
  type StandardMailFolders,
  type UserPrincipal,
} from '@groupware/contracts';
import { resolveTimeZone, ZoneOffsets } from '@groupware/recurrence';

/** Place of a setting among the trees of clients: the name of the tree, and the names inside. */
export interface Place {
  readonly id: string;
  readonly path: readonly string[];
}

/** Facts that settings are computed from. */
export interface SettingFacts {
  /** The user, with the capabilities that clients are told of. */
  readonly principal: UserPrincipal;
  /** ms UTC */
  readonly now: number;
  readonly version: string;
  /** Ids of default folders, of the modules that answered. */
  readonly folders: Readonly<Partial<Record<FolderModule, string>>>;
  /** Id of the trash of files. */
  readonly filesTrash?: string;
  /** Id of the folder in which addresses are collected, once there is one. */
  readonly collectingFolder?: string;
  /** Standard folders of the primary mailbox, while it answers. */
  readonly mailFolders?: StandardMailFolders;
  /** Mail addresses of the user, the primary one first. */
  readonly addresses: readonly string[];
  /** Further addresses may exist: they could not be asked for. */
  readonly hasFewAddresses?: boolean;
  /** Alarms of birthdays, of users with a calendar of them. */
  readonly birthdayAlarms?: readonly unknown[];
  /** Names of time zones in the user's language. */
  readonly timeZones: Readonly<Record<string, string>>;
}

/** A field of the user that identity keeps. */
export type UserField = 'locale' | 'timezone';

/** One setting of the configuration tree (API page "Small modules", config). */
export interface ConfigSetting {
  /** Names from the top, joined by slashes. */
  readonly path: string;
  /** Users without the capability do not have the setting. */
  readonly capability?: string;
  /** Place of the same setting in the trees of clients; absent: only in the configuration tree. */
  readonly place?: Place;
  /** Its value, or its default where users store their own; undefined: absent for now. */
  read(facts: SettingFacts): unknown;
  /** The value of users who stored none, where it is the same for all. */
  readonly initial?: unknown;
  /** Facts that it depends on. */
  readonly needs?:
    'addresses' | 'folders' | 'mailFolders' | 'filesTrash' | 'collectingFolder' | 'birthdayAlarms' | 'timeZones';
  /** Property that has the default. */
  readonly property?: Property;
  /** The property has the value of the user, too. */
  readonly isOwn?: boolean;
  /** Clients may keep other values in their trees, by which nothing acts. */
  readonly takesAny?: boolean;
  /** Whether a stored value is still possible; absent: it is. The default stands in the place of one that is not. */
  isPossible?(value: unknown, facts: SettingFacts): boolean;
  /** How it is changed; absent: it is not. */
  readonly change?: {
    /** Kept by identity, for everything that depends on it. */
    readonly userField?: UserField;
    /** Kept by the calendar. */
    readonly isBirthdayAlarms?: boolean;
    /** The value as it is stored, undefined where it is not possible. */
    accept(value: unknown, facts: SettingFacts): unknown;
  };
  /** The value under this name, by that in the tree, which has it as another name of the setting tells it. */
  show?(value: unknown): unknown;
}

/**
 * Whether modules act by the value in the tree itself, so that only possible ones may stand there. What other services keep they
 * check, and alarms and properties act where they fit: clients may have something else there.
 */
export const isKeptInTree = ({ change, isOwn, takesAny }: ConfigSetting): boolean =>
  change !== undefined && !change.userField && !isOwn && !takesAny;

/** How mails are forwarded. */
const FORWARD_INLINE = 'Inline';
const FORWARD_ATTACHED = 'Attachment';

/** Longest text of a `gui` setting, characters. */
const MAX_GUI_CHARACTERS = 65_536;

/** Trees of clients by the node of the configuration tree. */
const TREES: Readonly<Record<string, string>> = {
  mail: 'io.ox/mail',
  calendar: 'io.ox/calendar',
  contacts: 'io.ox/contacts',
  tasks: 'io.ox/tasks',
  infostore: 'io.ox/files',
};
/** Capabilities that open the settings of a node. */
const CAPABILITIES: Readonly<Record<string, string>> = {
  portal: 'portal',
  mail: 'webmail',
  calendar: 'calendar',
  contacts: 'contacts',
  tasks: 'tasks',
  infostore: 'infostore',
};

/** The place of `modules/<module>/…` in the tree of that module, of everything else in that of the core. */
function placeOf(path: string): Place {
  const [top, module, ...rest] = path.split('/');
  const id = top === 'modules' && module ? TREES[module] : undefined;
  return id ? { id, path: rest } : { id: 'io.ox/core', path: path.split('/') };
}

function capabilityOf(path: string): string | undefined {
  const [top, module] = path.split('/');
  return top === 'modules' && module ? CAPABILITIES[module] : top === 'mail' ? 'webmail' : undefined;
}

const has = ({ principal }: SettingFacts, capability: string): boolean => principal.capabilities.includes(capability);

/** A setting that only the server sets. */
const fixed = (
  path: string,
  read: (facts: SettingFacts) => unknown,
  options: Partial<ConfigSetting> = {},
): ConfigSetting => ({
  path,
  capability: capabilityOf(path),
  read,
  ...options,
});

/** A setting that follows from the mail addresses of the user. */
const ofAddresses = (path: string, read: (facts: SettingFacts) => unknown): ConfigSetting =>
  fixed(path, read, { needs: 'addresses' });

/** A setting of clients as well. */
const shown = (path: string, read: (facts: SettingFacts) => unknown): ConfigSetting =>
  fixed(path, read, { place: placeOf(path) });

/** A setting that users change. */
const stored = (
  path: string,
  initial: unknown,
  accept: (value: unknown, facts: SettingFacts) => unknown,
  options: Partial<ConfigSetting> = {},
): ConfigSetting => ({
  path,
  capability: capabilityOf(path),
  place: placeOf(path),
  read: () => initial,
  initial,
  change: { accept },
  ...options,
});

const flag = (path: string, initial: boolean): ConfigSetting =>
  stored(path, initial, (value) => (typeof value === 'boolean' ? value : undefined));
const text = (path: string, initial: string): ConfigSetting =>
  stored(path, initial, (value) => (typeof value === 'string' && value.length <= 1_000 ? value : undefined));
/** Whether a value of a tree may be a list of alarms; the calendar looks at them. */
export const fitsAlarms = (value: unknown): boolean =>
  Array.isArray(value) && JSON.stringify(value).length <= MAX_GUI_CHARACTERS;
/** Alarms of clients. */
const alarms = (path: string): ConfigSetting =>
  stored(path, undefined, (value) => (fitsAlarms(value) ? value : undefined), { takesAny: true });
/** Whether a value of a tree is one that a property may have. */
export const fitsProperty = (property: Property, value: unknown): boolean =>
  typeof value === typeof property.default && parseProperty(property, String(value)) !== undefined;

/** A setting whose value is a property of the user: the module that has it acts by it. */
const own = <T extends boolean | number>(path: string, property: Property<T>): ConfigSetting =>
  stored(path, undefined, (value) => (fitsProperty(property, value) ? value : undefined), { property, isOwn: true });
const number = (path: string, initial: number, max: number): ConfigSetting =>
  stored(path, initial, (value) =>
    Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= max ? value : undefined,
  );
/** A text or JSON of the client that the server does not look at. */
const gui = (path: string): ConfigSetting =>
  stored(
    path,
    undefined,
    (value) => (JSON.stringify(value).length <= MAX_GUI_CHARACTERS ? value : undefined),
    // Apart from the trees that clients load when they start.
    { place: { id: 'gui', path: path.split('/') } },
  );
const userField = (path: string, field: UserField, read: (facts: SettingFacts) => string): ConfigSetting => ({
  path,
  place: placeOf(path),
  read,
  change: { userField: field, accept: (value) => (typeof value === 'string' ? value : undefined) },
});
const moduleOpen = (name: string, capability: string): ConfigSetting =>
  fixed(`modules/${name}/module`, (facts) => has(facts, capability), { capability: undefined });
/** A setting that follows from the standard folders of the mailbox. */
const mailbox = (path: string, read: (folders: StandardMailFolders) => unknown, place?: Place): ConfigSetting =>
  fixed(path, ({ mailFolders }) => mailFolders && read(mailFolders), { needs: 'mailFolders', place });
/** An older name of a choice. */
const alias = (path: string, of: string, initial: boolean): ConfigSetting => ({
  ...flag(path, initial),
  place: placeOf(of),
});
/** Whether mails that are forwarded stand in the text: an older name of the choice between words. */
const forwardsInline = (path: string): ConfigSetting => ({
  ...stored(path, FORWARD_INLINE, (value) =>
    typeof value === 'boolean' ? (value ? FORWARD_INLINE : FORWARD_ATTACHED) : undefined,
  ),
  place: placeOf('modules/mail/forwardmessage'),
  show: (value) => !(typeof value === 'string' && value.toLowerCase() === FORWARD_ATTACHED.toLowerCase()),
});
/** The address that the user sends from: one of his own. */
const sendAddress = (path: string): ConfigSetting => ({
  ...text(path, ''),
  place: { id: 'io.ox/mail', path: ['defaultSendAddress'] },
  needs: 'addresses',
  read: ({ addresses }) => addresses[0],
  isPossible: (value, { addresses, hasFewAddresses }) =>
    hasFewAddresses === true || addresses.some((each) => each === value),
  change: { accept: (value, { addresses }) => addresses.find((each) => each === value) },
});
const folder = (module: FolderModule): ConfigSetting => ({
  ...shown(`folder/${module}`, ({ folders }) => folders[module]),
  capability: module,
  needs: 'folders',
});

/** Those of the modules that are open to the user. */
const listOpen = (modules: Readonly<Record<string, string>>, facts: SettingFacts): string[] =>
  Object.entries(modules)
    .filter(([, capability]) => has(facts, capability))
    .map(([name]) => name);

/** Modules that `find` searches, by the capabilities that open them. */
const SEARCHED: Readonly<Record<string, string>> = {
  mail: 'webmail',
  contacts: 'contacts',
  calendar: 'calendar',
  tasks: 'tasks',
  drive: 'infostore',
};

/** Times between which clients may let people choose to load what is new, ms; 0 is never. */
const RELOAD_TIMES = [0, 300_000, 600_000, 900_000, 1_800_000, 3_600_000];

/** Every setting of the configuration tree. */
export const CONFIG_SETTINGS: readonly ConfigSetting[] = [
  gui('gui'),
  gui('fastgui'),
  fixed('context_id', ({ principal }) => principal.contextId),
  fixed('identifier', ({ principal }) => principal.userId),
  fixed('contact_id', ({ principal }) => (principal.guest ? undefined : contactIdOfUser(principal.userId))),
  fixed('cookielifetime', () => undefined, { property: COOKIE_LIFETIME }),
  userField('language', 'locale', ({ principal }) => principal.locale),
  userField('timezone', 'timezone', ({ principal }) => principal.timeZone),
  fixed('availableTimeZones', ({ timeZones }) => timeZones, { needs: 'timeZones' }),
  fixed('serverVersion', ({ version }) => version),
  fixed('currentTime', ({ now, principal }) =>
    ZoneOffsets.forZone(resolveTimeZone(principal.timeZone) ?? 'UTC').instantToLocal(now),
  ),
  fixed('availableModules', (facts) => listOpen(CAPABILITIES, facts)),
  fixed('minimumSearchCharacters', () => undefined, { property: MIN_SEARCH_LENGTH }),
  shown('search/modules', (facts) => listOpen(SEARCHED, facts)),
  fixed('maxUploadIdleTimeout', () => 300_000),
  fixed('reloadTimes', () => RELOAD_TIMES),
  // Certificates of servers are checked.
  fixed('trustAllConnections', () => false),
  // Older names of the same choices.
  alias('calendarnotification', 'modules/calendar/notifyNewModifiedDeleted', true),
  alias('tasknotification', 'modules/tasks/notifyNewModifiedDeleted', true),
  folder('calendar'),
  folder('contacts'),
  folder('tasks'),
  folder('infostore'),
  {
    ...shown('folder/addressbooks', ({ folders }) =>
      folders.contacts === undefined ? undefined : toCompositeId('contacts', folders.contacts),
    ),
    capability: 'contacts',
    needs: 'folders',
  },
  {
    ...shown('modules/infostore/folder/trash', ({ filesTrash }) => filesTrash),
    capability: 'infostore',
    needs: 'filesTrash',
  },
  // Clients know these names, and no module has such folders.
  fixed('folder/eas', () => undefined),
  ...['pictures', 'documents', 'music', 'videos', 'templates'].map((name) =>
    fixed(`modules/infostore/folder/${name}`, () => undefined),
  ),
  ofAddresses('mail/addresses', ({ addresses }) => addresses),
  ofAddresses('mail/defaultaddress', ({ addresses }) => addresses[0]),
  sendAddress('mail/sendaddress'),
  ...MAIL_FOLDER_ROLES.filter((role) => role !== 'archive').map((role) =>
    mailbox(`mail/folder/${role}`, ({ ids }) => ids[role]),
  ),
  alias('mail/colorquote', 'modules/mail/colorquoted', true),
  alias('mail/emoticons', 'modules/mail/emoticons', true),
  alias('mail/harddelete', 'modules/mail/deletemail', false),
  alias('mail/htmlinline', 'modules/mail/inlineattachments', true),
  alias('mail/spambutton', 'modules/mail/spambutton', false),
  alias('mail/vcard', 'modules/mail/vcard', false),
  forwardsInline('mail/inlineforward'),
  ...['ignorereplytext', 'msgpreview', 'nocopytosent', 'notifyonreadack'].map((name) =>
    alias(`mail/${name}`, `modules/mail/${name}`, false),
  ),
  flag('participants/autoSearch', false),
  fixed('participants/maximumNumberParticipants', () => 0),
  flag('participants/showWithoutEmail', true),
  fixed('participants/showDialog', (facts) => has(facts, 'participants_dialog')),
  ...Object.entries(CAPABILITIES).flatMap(([name, capability]) => [
    moduleOpen(name, capability),
    gui(`modules/${name}/gui`),
  ]),
  ofAddresses('modules/mail/addresses', ({ addresses }) => addresses),
  ofAddresses('modules/mail/defaultaddress', ({ addresses }) => addresses[0]),
  sendAddress('modules/mail/sendaddress'),
  flag('modules/mail/allowhtmlimages', false),
  flag('modules/mail/appendmailtext', true),
  flag('modules/mail/colorquoted', true),
  own('modules/mail/contactCollectEnabled', COLLECT_ADDRESSES),
  {
    ...shown('modules/mail/contactCollectFolder', ({ collectingFolder }) => collectingFolder),
    needs: 'collectingFolder',
  },
  own('modules/mail/contactCollectOnMailAccess', COLLECT_ON_READING),
  own('modules/mail/contactCollectOnMailTransport', COLLECT_ON_SENDING),
  ...MAIL_FOLDER_ROLES.map((role) =>
    mailbox(
      `modules/mail/defaultFolder/${role}`,
      ({ ids }) => ids[role],
      placeOf(`modules/mail/defaultFolder/${role}`),
    ),
  ),
  mailbox('modules/mail/namespace', ({ namespace }) => namespace, placeOf('modules/mail/namespace')),
  mailbox('modules/mail/defaultseparator', ({ separator }) => separator, placeOf('modules/mail/defaultseparator')),
  // Of accounts elsewhere clients take the one of the primary account.
  mailbox('modules/mail/separators', ({ separator }) => ({ 0: separator }), placeOf('modules/mail/separators')),
  fixed('modules/mail/phishingheaders', () => []),
  flag('modules/mail/deletemail', false),
  flag('modules/mail/emoticons', true),
  text('modules/mail/forwardmessage', FORWARD_INLINE),
  flag('modules/mail/inlineattachments', true),
  number('modules/mail/linewrap', 0, 998),
  flag('modules/mail/replyallcc', false),
  flag('modules/mail/spambutton', false),
  flag('modules/mail/vcard', false),
  shown('modules/calendar/calendar_conflict', (facts) => has(facts, 'conflict_handling')),
  shown('modules/calendar/calendar_freebusy', (facts) => has(facts, 'freebusy')),
  flag('modules/calendar/calendar_teamview', true),
  flag('modules/calendar/notifyNewModifiedDeleted', true),
  flag('modules/calendar/notifyAcceptedDeclinedAsCreator', true),
  flag('modules/calendar/notifyAcceptedDeclinedAsParticipant', false),
  own('modules/calendar/defaultStatusPrivate', DEFAULT_STATUS_PRIVATE),
  own('modules/calendar/defaultStatusPublic', DEFAULT_STATUS_PUBLIC),
  {
    ...shown('modules/calendar/chronos/defaultFolderId', ({ folders }) =>
      folders.calendar === undefined ? undefined : `cal://0/${folders.calendar}`,
    ),
    needs: 'folders',
  },
  alarms('modules/calendar/chronos/defaultAlarmDate'),
  alarms('modules/calendar/chronos/defaultAlarmDateTime'),
  {
    ...alarms('modules/calendar/birthdays/defaultAlarmDate'),
    read: ({ birthdayAlarms }) => birthdayAlarms,
    needs: 'birthdayAlarms',
    change: { ...alarms('modules/calendar/birthdays/defaultAlarmDate').change!, isBirthdayAlarms: true },
  },
  flag('modules/contacts/mailAddressAutoSearch', true),
  flag('modules/contacts/singleFolderSearch', false),
  flag('modules/contacts/characterSearch', true),
  own('modules/contacts/allFoldersForAutoComplete', ALL_FOLDERS_FOR_AUTOCOMPLETE),
  shown('modules/tasks/delegate_tasks', (facts) => has(facts, 'delegate_tasks')),
  flag('modules/tasks/notifyNewModifiedDeleted', true),
  flag('modules/tasks/notifyAcceptedDeclinedAsCreator', true),
  flag('modules/tasks/notifyAcceptedDeclinedAsParticipant', false),
  fixed('modules/interfaces/ical', (facts) => has(facts, 'ical')),
  fixed('modules/interfaces/vcard', (facts) => has(facts, 'vcard')),
  fixed('modules/interfaces/syncml', () => false),
  fixed('modules/folder/public_folders', (facts) => has(facts, 'edit_public_folders')),
  fixed('modules/folder/read_create_shared_folders', (facts) => has(facts, 'read_create_shared_folders')),
  gui('modules/folder/gui'),
  number('modules/folder/tree', 1, 1),
  fixed('modules/com.example.user.passwordchange/module', (facts) => has(facts, 'edit_password')),
  fixed('modules/com.example.user.personaldata/module', () => true),
  fixed('modules/com.example.group/enabled', (facts) => has(facts, 'edit_group')),
  fixed('modules/com.example.resource/enabled', (facts) => has(facts, 'edit_resource')),
  // There are no such things.
  fixed('modules/com.example.extras/module', () => false),
  fixed('modules/com.example.publish/enabled', () => false),
  fixed('modules/com.example.subscribe/enabled', (facts) => has(facts, 'subscription')),
  fixed('modules/olox20/active', (facts) => has(facts, 'olox20')),
  fixed('modules/olox20/module', (facts) => has(facts, 'olox20')),
  fixed('modules/com.example.passwordchange/showStrength', () => true),
  fixed('modules/com.example.passwordchange/minLength', () => undefined, { property: PASSWORD_MIN_LENGTH }),
  fixed('modules/com.example.passwordchange/maxLength', () => undefined, { property: PASSWORD_MAX_LENGTH }),
  fixed('modules/com.example.passwordchange/regexp', () => undefined, { property: PASSWORD_PATTERN }),
  fixed('modules/com.example.passwordchange/special', () => undefined, { property: PASSWORD_HINT }),
];
