/** Name of the logger above all others. */
export const ROOT_LOGGER = 'root';

/**
 * The loggers of the product with what they write. A level set for a name is also that of all names below it
 * (`calendar` of `calendar.import`). A spec compares the list with the code.
 */
export const LOGGERS: Readonly<Record<string, string>> = {
  [ROOT_LOGGER]: 'everything',
  admin: 'operations of operators',
  'admin.configuration': 'questions of operators about the configuration',
  'admin.crosscontext': 'what contexts see of each other, and its removal',
  'admin.davclient': 'the set-up of DAV clients',
  'admin.feedback': 'user feedback: exports, mails, removal',
  'admin.logging': 'changes of the log configuration',
  'admin.site': 'availability of sites',
  attachments: 'files on objects: storage, sweep, virus scan',
  'calendar.alarms': 'alarms that are due',
  'calendar.busy': 'busy times for other modules',
  'calendar.conflicts': 'conflict checks',
  'calendar.events': 'appointments as events',
  'calendar.feeds': 'calendars of the web',
  'calendar.freebusy': 'busy times for clients',
  'calendar.has': 'days with appointments',
  'calendar.import': 'iCalendar imports',
  'calendar.scheduling': 'scheduling messages of pushed mails',
  'calendar.tombstones': 'removal of old deletion notes',
  'calendar.view': 'lists of appointments',
  contacts: 'contacts, distribution lists and their folders',
  'contacts.import': 'imports of contacts',
  'contacts.tombstones': 'removal of old deletion notes',
  'folders.owners': 'modules that own folders',
  'freebusy.sources': 'modules that know busy times',
  'freebusy.limit': 'rate limits of the free/busy servlet',
  gateway: 'the HTTP edge',
  'gateway.access': 'one line for each HTTP request, level INFO',
  identity: 'contexts, users, credentials',
  'identity.demo': 'the demo context',
  'identity.jobs': 'imports and moves: jobs that outlive their process',
  'identity.login': 'logins and refusals',
  'identity.multifactor': 'second factors',
  'identity.pre-assembly': 'contexts made in advance',
  'identity.provisioning': 'contexts and users whose defaults come later',
  'identity.rampup': 'start data of clients that are incomplete',
  'identity.sessions': 'sessions that begin and end',
  mail: 'mails: sending, files, composition spaces',
  'mail-access': 'connections to mail servers',
  'mail.folders': 'mail folders in the folder tree',
  'mail.watch': 'listening for new mails',
  'mail-account': 'mail accounts',
  'mail-account.autoconfig': 'search for the settings of mail providers',
  'mail-account.first-connection': 'detection of standard folders',
  'mail-account.mail-session': 'sessions that mail proxies validate',
  'mail-account.primary': 'primary mail accounts',
  'outgoing-mail': 'mails of the system: what is not sent, and why',
  process: 'start, end and connections of a process',
  'process.configuration': 'configuration files that change',
  push: 'notifications of clients',
  'push.delivery': 'deliveries to subscriptions',
  'push.mail': 'pushed mails on their way to the calendar',
  sso: 'single sign-on: what is refused, and why; calls of identity providers',
  'settings.facts': 'settings without those of a module that does not answer',
  'settings.reminders': 'reminders without those of a module that does not answer',
  'settings.sessions': 'the store of sessions, asked for the start data of clients',
  files: 'documents: storage, sweep, virus scan',
  'files.media': 'reading of what pictures say about themselves',
  'files.storages': 'storages elsewhere that do not work',
  'files.tombstones': 'removal of old deletion notes of documents',
  'tasks.alarms': 'alarms of tasks that are due',
  'tasks.import': 'imports of tasks',
  'tasks.tombstones': 'removal of old deletion notes',
};

/** Suffix of the loggers that write a line for each answered call: DEBUG for successes, INFO and above for errors. */
export const CALLS_SUFFIX = '.calls';

/** Name of the logger with a line for each call that a service answered. */
export const callsLogger = (service: string): string => `${service}${CALLS_SUFFIX}`;
