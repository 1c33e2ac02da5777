/**
 * Parameters, fields and columns that the API has and that have no effect, by operation or model, each with its reason: the
 * module it waits for (`waitsFor`), or why it means nothing here (`because`). `unread-inputs.mjs` and `constant-columns.mjs`
 * find what must be listed; their specs fail when something unlisted appears or a listed one became effective.
 */
const sso = { because: 'browsers come by it: their client asks for its first data by itself' };
const otherWay = { because: 'the reservation of the other way to sign on' };
const drive = { waitsFor: 'drive' };
const onDemand = { because: 'previews are made when they are asked for' };
const isNew = { because: 'the API wants it, but the document is new' };
const inForm = { because: 'a part of the form, which has no model' };
const byBytes = { because: 'the bytes say it' };
const limits = { because: 'the limit is that of the whole context' };
/** Operations on documents whose callers may be left out of what clients are told. */
const documentWrites = [
  ...['copy', 'copyFile', 'delete', 'detach', 'move', 'moveOne', 'new', 'newFile', 'restore', 'revert', 'saveAs'],
  ...['update', 'updateFile', 'upload'],
];
const documentForms = ['copyFile', 'newFile', 'updateFile'];
const ofCalendar = { because: 'names of the fields of events; contacts and tasks have columns' };
const encrypted = { cryptoAuth: { waitsFor: 'encrypted mails' }, decrypt: { waitsFor: 'encrypted mails' } };
const toldToAll = { because: 'every client is told, also the one that made the change' };
const resolved = { because: 'groups are resolved here; nothing counts how often they are used' };
const ofWhole = { because: 'a list names events and occurrences, not what follows them' };
const ofContact = { because: 'belongs to the contact of the user: the module contacts tells it' };
const notKept = { because: 'the API has it, but no object of this kind carries it' };
const echoed = { because: 'clients send back what they were told; the server decides' };
const byId = { because: 'a contact is found by its id, wherever it lies' };
const ofAnalysis = { because: 'differences are described by analyze alone' };
const catalogue = { because: 'nobody configured the catalogue: every call says so' };
/** Parameters about who is told of a change of an event. */
const eventNotices = { pushToken: toldToAll, usedGroups: resolved };
const singleSignOn = ['modules', 'rampup', 'rampupFor', 'rampUpFor', 'shard'];

const byMail = { 'body.notification.transport': { because: 'mail is the only transport' } };

/** Parameters and body fields that no code reads. */
export const UNREAD_INPUTS = {
  'chronos.changeOrganizer': {
    ...eventNotices,
    checkConflicts: { because: 'no time and no attendee comes into conflict by it' },
  },
  'chronos.delete': { pushToken: toldToAll },
  'chronos.list': { 'body.recurrenceRange': ofWhole },
  'chronos.new': { ...eventNotices, 'body.attachments.created': echoed },
  'chronos.newWithFiles': eventNotices,
  'chronos.update': { 'body.event.attachments.created': echoed },
  'chronos.updateAttendee': eventNotices,
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
  'chronos/alarm.updateAlarms': eventNotices,
  'chronos/itip.accept': { descriptionFormat: ofAnalysis },
  'chronos/itip.accept_and_ignore_conflicts': { descriptionFormat: ofAnalysis },
  'chronos/itip.accept_party_crasher': { descriptionFormat: ofAnalysis },
  'chronos/itip.cancel': { descriptionFormat: ofAnalysis },
  'chronos/itip.decline': { descriptionFormat: ofAnalysis },
  'chronos/itip.declinecounter': { descriptionFormat: ofAnalysis },
  'chronos/itip.delete': { descriptionFormat: ofAnalysis },
  'chronos/itip.ignore': { descriptionFormat: ofAnalysis, timezone: ofAnalysis },
  'chronos/itip.refresh': { descriptionFormat: ofAnalysis },
  'chronos/itip.tentative': { descriptionFormat: ofAnalysis },
  'chronos/itip.update': { descriptionFormat: ofAnalysis },
  'chronos/schedjoules.browse': { country: catalogue, id: catalogue, language: catalogue },
  'chronos/schedjoules.countries': { language: catalogue },
  'chronos/schedjoules.search': { language: catalogue, maxRows: catalogue, query: catalogue },
  'calendar.new': { 'body.users.display_name': echoed },
  'calendar.update': { 'body.users.display_name': echoed, 'body.participants.confirm': echoed },
  'contacts.new': { 'body.distribution_list.folder_id': byId },
  'contacts.update': { 'body.distribution_list.folder_id': byId },
  ...Object.fromEntries(
    ['all', 'list', 'search', 'shares', 'updates', 'versions'].map((name) => [
      `infostore.${name}`,
      { pregenerate_previews: onDemand },
    ]),
  ),
  ...Object.fromEntries(['copy', 'notify', 'saveAs', 'update'].map((name) => [`infostore.${name}`, byMail])),
  'infostore.new': { timestamp: isNew, ...byMail },
  'infostore.newFile': { timestamp: isNew },
  'halo/contact.investigate': Object.fromEntries(
    ['email1', 'email2', 'email3', 'internal_userid'].map((name) => [
      name,
      { because: 'one of the ways to name a person, all of which are read together' },
    ]),
  ),
  'snippet.new': { 'body.id': { because: 'the server numbers new snippets' } },
  'tasks.confirm': {
    folder: { because: 'an answer is to the task, wherever it is seen' },
    timestamp: { because: 'an answer is in conflict with no other change' },
  },
  'contract.limits': { 'files.size': limits },
  'contract.retract': Object.fromEntries(
    ['item', 'kind', 'module', 'owner'].map((name) => [
      name,
      { because: 'the key of a share; a folder needs less of it' },
    ]),
  ),
  'contract.usage': { module: { because: 'a service with one quota is asked for no other' } },
  'mail.clear': { timestamp: { because: 'mails have no time of their last change' } },
  'mail.delete': { timestamp: { because: 'mails have no time of their last change' } },
  'mail.updates': Object.fromEntries(
    ['ignore', 'timezone'].map((name) => [name, { because: 'mail servers keep no log of changes' }]),
  ),
  'file.new': { module: { because: 'managed files are the same for all modules' } },
  'folders.checklimits': { 'body.files.size': limits },
  'folders.clear': { pushToken: drive },
  'folders.delete': { pushToken: drive },
  'folders.new': {
    'body.folder.folder_id': { because: 'the parameter folder_id says where' },
    'body.folder_id': { because: 'the parameter folder_id says where' },
    pushToken: drive,
  },
  'folders.restore': { pushToken: drive },
  'folders.update': {
    allow_enqueue: { because: 'read by the gateway, which answers with a job when the write takes long' },
    'body.com.openexchange.calendar.provider': echoed,
    'body.folder.com.openexchange.calendar.provider': echoed,
    'body.folder.type': echoed,
    'body.type': echoed,
    pushToken: drive,
  },
  ...Object.fromEntries(
    [
      ...['autocompleteContacts', 'autocompleteEvents', 'autocompleteMails', 'autocompleteTasks'],
      ...['queryContacts', 'queryEvents', 'queryFiles', 'queryMails', 'queryTasks'],
    ].map((name) => [`find.${name}`, { module: { because: 'read by the gateway, which chooses the service by it' } }]),
  ),
  'find.autocompleteFiles': {
    limit: { because: 'facets of files have few values, the same for all' },
    module: { because: 'read by the gateway, which chooses the service by it' },
  },
  ...Object.fromEntries(
    ['CSV', 'ICAL', 'ICALTasks', 'OUTLOOK_CSV'].map((name) => [
      `import.${name}`,
      { plainJson: { because: 'read by the gateway, for every upload' } },
    ]),
  ),
  'login.oidcLogin': { ...Object.fromEntries(singleSignOn.map((name) => [name, sso])), token: otherWay },
  ...Object.fromEntries(
    ['{id}.get', '{id}/attachments/{attachmentId}.get'].map((name) => [
      `mail/compose/${name}`,
      { clientToken: { because: 'who reads a mail that is written changes nothing of it' } },
    ]),
  ),
  'saml/{tenant}/sls.request': Object.fromEntries(
    ['RelayState', 'SAMLRequest', 'SAMLResponse', 'SigAlg', 'Signature'].map((name) => [
      name,
      { because: 'the signature is over the bytes of the query, which are read as they came' },
    ]),
  ),
  'login.samlLogin': { ...Object.fromEntries(singleSignOn.map((name) => [name, sso])), sessionToken: otherWay },
  'login.tokenLogin': Object.fromEntries(
    ['authId', 'version'].map((name) => [name, { because: 'kept with the token: the second step reads it' }]),
  ),
  'messaging/message.get': { peek: { because: 'items of feeds are neither read nor unread' } },
  'messaging/message.perform': Object.fromEntries(
    ['account', 'body.body', 'body.headers', 'body.id', 'id'].map((name) => [
      name,
      { because: 'no messaging service has actions' },
    ]),
  ),
  'messaging/message.send': Object.fromEntries(
    ['body.body', 'body.headers', 'body.id', 'recipients'].map((name) => [
      name,
      { because: 'no messaging service sends messages' },
    ]),
  ),
  'multifactor/device.rename': { 'body.backup': echoed, 'body.parameters': echoed, 'body.providerName': echoed },
  'multifactor/device.startRegistration': { 'body.id': echoed },
  ...Object.fromEntries(
    ['create', 'createByGet'].map((name) => [
      `oauth/accounts.${name}`,
      { scopes: { because: 'what was asked for at the beginning and granted by the service counts' } },
    ]),
  ),
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
    'com.openexchange.folderstorage.accountError': {
      because:
        'a list of folders does not wait for hosts elsewhere: opening the folder tells the fault, and fileaccount.all',
    },
    'com.openexchange.publish.publicationFlag': { because: 'publications are gone from the API' },
    'com.openexchange.subscribe.subscriptionFlag': { because: 'no source is offered that fills folders from outside' },
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
  'mail/compose/{id}/send.send': { JSON: { because: 'a field of the form, which is read by its name' } },
  ...Object.fromEntries(
    documentWrites.map((name) => [
      `infostore.${name}`,
      {
        pushToken: toldToAll,
        ...(documentForms.includes(name) && { json: inForm }),
        ...(name === 'upload' && {
          ...{ file_md5sum: byBytes, file_size: byBytes },
          version: { because: 'a new version has the next number' },
        }),
      },
    ]),
  ),
  'find.queryContacts': { fields: ofCalendar },
  'find.queryEvents': { columns: { because: 'numbers of the columns of other modules; events have names of fields' } },
  'find.queryFiles': { fields: ofCalendar },
  'find.queryMails': { fields: ofCalendar },
  'find.queryTasks': { fields: ofCalendar },
  'import.ICALTasks': { suppressNotification: { because: 'an import of tasks tells nobody' } },
  'mail.autosave': { csid: { because: 'a draft is named by its path' } },
  'mail.forward': encrypted,
  'mail.reply': encrypted,
  'mail.replyall': encrypted,
  'mail.get': {
    ...encrypted,
    pregenerate_previews: onDemand,
  },
  'mail.attachment': {
    cryptoAuth: { waitsFor: 'encrypted mails' },
    decrypt: { waitsFor: 'encrypted mails' },
  },
};

/** Entries that no search finds: fields that are read and handed on but change nothing yet, and fields that answers never have. */
export const HANDED_ON = {};
