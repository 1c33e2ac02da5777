/**
 * Parameters, fields and columns that the API has and that have no effect, by operation or model, each with its reason: the
 * module it waits for (`waitsFor`), or why it means nothing here (`because`). `unread-inputs.mjs` and `constant-columns.mjs`
 * find what must be listed; their specs fail when something unlisted appears or a listed one became effective.
 */
const sso = { waitsFor: 'sso' };
const drive = { waitsFor: 'drive' };
const files = { waitsFor: 'files' };
const chronos = { waitsFor: 'chronos' };
const mail = { waitsFor: 'mail/compose' };
const feeds = { because: 'there are no calendars of elsewhere whose copies could be old' };
const toldToAll = { because: 'every client is told, also the one that made the change' };
const resolved = { because: 'groups are resolved here; nothing counts how often they are used' };
const ofWhole = { because: 'a list names events and occurrences, not what follows them' };
const ofContact = { because: 'belongs to the contact of the user: the module contacts tells it' };
const subscriptions = { waitsFor: 'subscriptions' };
const notKept = { because: 'the API has it, but no object of this kind carries it' };
const ofSnooze = { because: 'the only relation between alarms is that of a snoozed one to its origin' };
const echoed = { because: 'clients send back what they were told; the server decides' };
const byId = { because: 'a contact is found by its id, wherever it lies' };
/** Parameters about who is told of a change of an event. */
const eventNotices = { pushToken: toldToAll, scheduling: mail, sendInternalNotifications: mail, usedGroups: resolved };
const singleSignOn = [
  'authId',
  'client',
  'clientIP',
  'clientUserAgent',
  'language',
  'loginPath',
  'modules',
  'rampup',
  'rampupFor',
  'rampUpFor',
  'shard',
  'staySignedIn',
  'storeLanguage',
  'version',
];

/** Parameters and body fields that no code reads. */
export const UNREAD_INPUTS = {
  'chronos.all': { updateCache: feeds },
  'chronos.allByPut': { updateCache: feeds },
  'chronos.changeOrganizer': {
    ...eventNotices,
    'body.comment': mail,
    checkConflicts: { because: 'no time and no attendee comes into conflict by it' },
  },
  'chronos.delete': { 'body.comment': mail, pushToken: toldToAll },
  'chronos.list': { 'body.recurrenceRange': ofWhole },
  'chronos.new': { ...eventNotices, 'body.attachments.created': echoed, 'body.alarms.relatedTo.relType': ofSnooze },
  'chronos.newWithFiles': eventNotices,
  'chronos.update': { 'body.event.attachments.created': echoed, 'body.event.alarms.relatedTo.relType': ofSnooze },
  'chronos.updateAttendee': {
    ...eventNotices,
    'body.alarms.relatedTo.relType': ofSnooze,
    'body.attendee.cuType': echoed,
  },
  'chronos/alarm.ack': { pushToken: toldToAll },
  'chronos/alarm.ackByPut': { pushToken: toldToAll },
  'chronos/alarm.snooze': { pushToken: toldToAll },
  'chronos/alarm.snoozeByPut': { pushToken: toldToAll },
  'chronos/alarm.pending': Object.fromEntries(
    ['extendedEntities', 'fields', 'timezone'].map((name) => [
      name,
      { because: 'the triggers of alarms have the same fields and times in UTC for all' },
    ]),
  ),
  'chronos/alarm.updateAlarms': { ...eventNotices, 'body.relatedTo.relType': ofSnooze },
  'calendar.new': { 'body.users.display_name': echoed },
  'calendar.update': { 'body.users.display_name': echoed, 'body.participants.confirm': echoed },
  'contacts.new': { 'body.distribution_list.folder_id': byId },
  'contacts.update': { 'body.distribution_list.folder_id': byId },
  'tasks.confirm': {
    folder: { because: 'an answer is to the task, wherever it is seen' },
    timestamp: { because: 'an answer is in conflict with no other change' },
  },
  'contract.limits': { 'files.size': files },
  'contract.retract': Object.fromEntries(
    ['item', 'kind', 'module', 'owner'].map((name) => [
      name,
      { because: 'the key of a share; a folder needs less of it' },
    ]),
  ),
  'mail.clear': { timestamp: { because: 'mails have no time of their last change' } },
  'mail.delete': { timestamp: { because: 'mails have no time of their last change' } },
  'mail.updates': Object.fromEntries(
    ['ignore', 'timezone'].map((name) => [name, { because: 'mail servers keep no log of changes' }]),
  ),
  'folders.checklimits': { 'body.files.size': files },
  'folders.clear': { pushToken: drive },
  'folders.delete': { pushToken: drive },
  'folders.new': {
    'body.com.openexchange.calendar.provider': chronos,
    'body.folder.com.openexchange.calendar.provider': chronos,
    'body.folder.folder_id': { because: 'the parameter folder_id says where' },
    'body.folder_id': { because: 'the parameter folder_id says where' },
    pushToken: drive,
  },
  'folders.restore': { pushToken: drive },
  'folders.update': {
    allow_enqueue: { waitsFor: 'jobs' },
    'body.com.openexchange.calendar.provider': chronos,
    'body.folder.com.openexchange.calendar.provider': chronos,
    'body.folder.type': echoed,
    'body.type': echoed,
    pushToken: drive,
  },
  'import.ICAL': { plainJson: { because: 'read by the gateway, for every upload' }, suppressNotification: mail },
  ...Object.fromEntries(
    ['CSV', 'OUTLOOK_CSV'].map((name) => [
      `import.${name}`,
      { plainJson: { because: 'read by the gateway, for every upload' } },
    ]),
  ),
  'login.oidcLogin': Object.fromEntries([...singleSignOn, 'token'].map((name) => [name, sso])),
  'login.samlLogin': Object.fromEntries([...singleSignOn, 'sessionToken'].map((name) => [name, sso])),
  'login.tokenLogin': Object.fromEntries(
    ['authId', 'version'].map((name) => [name, { because: 'kept with the token: the second step reads it' }]),
  ),
  'multifactor/device.rename': { 'body.backup': echoed, 'body.parameters': echoed, 'body.providerName': echoed },
  'multifactor/device.startRegistration': { 'body.id': echoed },
  'oauth/accounts.all': { serviceId: sso },
  'request-analysis.analyzeRequest': { 'body.method': { because: 'whose request it is does not depend on it' } },
  'resource.update': { 'body.id': echoed },
};

/** Columns that are the same in every row, by model. */
export const CONSTANT_COLUMNS = {
  AttachmentData: Object.fromEntries(
    [
      'categories',
      'color_label',
      'comment',
      'file_id',
      'folder_id',
      'lastModifiedOfNewestAttachmentUTC',
      'last_modified',
      'last_modified_utc',
      'modified_by',
      'number_of_attachments',
      'private_flag',
    ].map((name) => [name, notKept]),
  ),
  FolderData: {
    'com.openexchange.caldav.url': { waitsFor: 'dav' },
    'com.openexchange.calendar.accountError': chronos,
    'com.openexchange.folderstorage.accountError': files,
    'com.openexchange.publish.publicationFlag': { because: 'publications are gone from the API' },
    'com.openexchange.subscribe.subscriptionFlag': subscriptions,
  },
  UserData: {
    context_id: notKept,
    distribution_list: notKept,
    folder_id: { because: 'all users are in one address book, 6' },
    guest_created_by: { because: 'guests are not among the users' },
    image1: { because: 'never in rows: the picture is at image1_url' },
    lastModifiedOfNewestAttachmentUTC: ofContact,
    mark_as_distributionlist: notKept,
    number_of_attachments: ofContact,
    number_of_distribution_list: notKept,
    number_of_links: notKept,
    number_of_links_list: notKept,
    private_flag: { because: 'the data of users is for all users' },
    special_sorting: { because: 'stands for an order, not for a value' },
    useCount: ofContact,
    useCountGlobalFirst: { because: 'stands for an order, not for a value' },
  },
};

/** Parameters that the API documents and that the contracts do not declare. */
export const UNDECLARED_INPUTS = {
  'mail.all': { categoryid: { waitsFor: 'mail/categories' } },
  'mail.threadedAll': { categoryid: { waitsFor: 'mail/categories' } },
  'mail.get': {
    cryptoAuth: { waitsFor: 'encrypted mails' },
    decrypt: { waitsFor: 'encrypted mails' },
    pregenerate_previews: files,
  },
  'image/user/picture.picture': Object.fromEntries(
    [
      'transformationNeeded',
      'cropWidth',
      'cropHeight',
      'rotate',
      'compress',
      'width',
      'height',
      'shrinkOnly',
      'scaleType',
    ].map((name) => [name, files]),
  ),
};

/** Entries that no search finds: fields that are read and handed on but change nothing yet, and fields that answers never have. */
export const HANDED_ON = {
  'folders.new': { 'body.notification': mail },
  'folders.update': { 'body.notification': mail },
  'folders.notify': { 'body.entities': mail, 'body.notification': mail },
  'folders.delete': { hardDelete: files },
  'calendar.get': { 'answer.users.display_name': chronos },
};
