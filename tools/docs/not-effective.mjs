/**
 * Parameters, fields and columns that the API has and that have no effect, by operation or model, each with the thing that it
 * waits for (`waitsFor`). `unread-inputs.mjs`, `undeclared-inputs.mjs` and `constant-columns.mjs` find what must be listed; their
 * specs fail when something unlisted appears or a listed one became effective. What they cannot follow, and what means nothing
 * by the API's own word, stands below: it waits for nothing.
 */
const waiting = (waitsFor, names) => Object.fromEntries(names.map((name) => [name, { waitsFor }]));
const byRule = (because, names) => Object.fromEntries(names.map((name) => [name, { because }]));
const readIn = (file, names, text) => Object.fromEntries(names.map((name) => [name, { file, text: text ?? name }]));
const each = (operations, fields) => Object.fromEntries(operations.map((operation) => [operation, fields]));

/** Operations on documents whose callers may be left out of what clients are told. */
const documentWrites = [
  ...['copy', 'copyFile', 'delete', 'detach', 'move', 'moveOne', 'new', 'newFile', 'restore', 'revert', 'saveAs'],
  ...['update', 'updateFile', 'upload'],
].map((name) => `infostore.${name}`);
const documentLists = ['all', 'list', 'search', 'shares', 'updates', 'versions'].map((name) => `infostore.${name}`);
const catalogue = 'the catalogue of SchedJoules';
const mailboxes = 'messaging services with mailboxes';
/** They alone are told of changes of files. */
const desktopClients = 'synchronization with desktop clients (drive)';

/** Parameters and body fields that no code reads. */
export const UNREAD_INPUTS = {
  'chronos/schedjoules.browse': waiting(catalogue, ['country', 'id', 'language']),
  'chronos/schedjoules.countries': waiting(catalogue, ['language']),
  'chronos/schedjoules.search': waiting(catalogue, ['language', 'maxRows', 'query']),
  ...each(
    ['folders.clear', 'folders.delete', 'folders.new', 'folders.restore', 'folders.update'],
    waiting(desktopClients, ['pushToken']),
  ),
  ...each(documentLists, waiting('conversion of documents', ['pregenerate_previews'])),
  'messaging/message.get': waiting(mailboxes, ['peek']),
  'messaging/message.perform': waiting(mailboxes, ['account', 'body.body', 'body.headers', 'body.id', 'id']),
  'messaging/message.send': waiting(mailboxes, ['body.body', 'body.headers', 'body.id', 'recipients']),
};

/** Parameters that the API documents and that the contracts do not declare. */
export const UNDECLARED_INPUTS = {
  ...each(documentWrites, waiting(desktopClients, ['pushToken'])),
  ...each(
    ['mail.attachment', 'mail.forward', 'mail.reply', 'mail.replyall'],
    waiting('guard', ['cryptoAuth', 'decrypt']),
  ),
  'mail.get': {
    ...waiting('guard', ['cryptoAuth', 'decrypt']),
    ...waiting('conversion of documents', ['pregenerate_previews']),
  },
  'login.samlLogin': waiting('shards of gateways', ['shard']),
};

/** Columns that are the same in every row, by model. */
export const CONSTANT_COLUMNS = {
  FolderData: {
    ...waiting('dav', ['com.openexchange.caldav.url']),
    ...waiting('subscriptions to other services', ['com.openexchange.subscribe.subscriptionFlag']),
  },
};

/** Fields of answers and columns that the API documents and that no contract declares, by model of the reference. */
export const UNDECLARED_FIELDS = {
  InfoItemData: {
    ...waiting('editing of documents by several at once', ['com.openexchange.realtime.resourceID']),
    ...waiting('a storage of attachments of mails', ['com.openexchange.file.storage.mail.mailMetadata']),
  },
  'columns of infostore': {
    ...waiting('editing of documents by several at once', ['7020 com.openexchange.realtime.resourceID']),
    ...waiting('a storage of attachments of mails', ['7030 com.openexchange.file.storage.mail.mailMetadata']),
  },
};

/** Such fields that answers never have by the API's own word, or by what they name. */
export const NEVER_ANSWERED = {
  AppointmentCreationConflict: byRule('the API: another spelling of hard_conflict', ['hard_conflicts']),
  InfoItemData: {
    ...byRule('who reads a document is told by its permissions', ['private_flag']),
    ...byRule('files have no files attached', ['lastModifiedOfNewestAttachmentUTC']),
  },
  WhoAmIResponseData: byRule('the API: only where tokens of former versions are switched on', ['random']),
  'columns of infostore': {
    ...byRule('who reads a document is told by its permissions', ['101 private_flag']),
    ...byRule('files have no files attached', ['105 lastModifiedOfNewestAttachmentUTC']),
    ...byRule('the API: internal, never sent', ['750 content', '752 filestore_location']),
  },
};

/** Entries that no search finds: fields that are read and handed on but change nothing yet, and fields that answers never have. */
export const HANDED_ON = {
  'pns.subscribe': waiting('the push services of Apple, Google and Microsoft', ['transport: apn, apn_http2, gcm, wns']),
};

/** Parameters that the searches do not see read: the file that reads them, and the text by which it does. */
export const READ_ELSEWHERE = {
  ...each(
    [
      ...['autocompleteContacts', 'autocompleteEvents', 'autocompleteFiles', 'autocompleteMails', 'autocompleteTasks'],
      ...['queryContacts', 'queryEvents', 'queryFiles', 'queryMails', 'queryTasks'],
    ].map((name) => `find.${name}`),
    readIn('libs/contracts/src/find/find.contract.ts', ['module'], "selectByValue('module'"),
  ),
  'folders.update': readIn('apps/gateway/src/jobs/jobs.ts', ['allow_enqueue']),
  'folders.checklimits': readIn('apps/files/src/folders/file-folder-rules.ts', ['body.files.size'], 'size > limit'),
  ...each(
    ['CSV', 'ICAL', 'ICALTasks', 'OUTLOOK_CSV'].map((name) => `import.${name}`),
    readIn('apps/gateway/src/output/callback-page.ts', ['plainJson']),
  ),
  'login.tokenLogin': readIn('apps/identity/src/authentication/session-opener.ts', ['authId', 'version']),
  'saml/{tenant}/sls.request': readIn('apps/sso/src/saml/saml-logouts.ts', [
    ...['RelayState', 'SAMLRequest', 'SAMLResponse', 'SigAlg', 'Signature'],
  ]),
  'contract.retract': readIn(
    'apps/files/src/handlers/shared-documents-retract.handler.ts',
    ['item', 'module', 'owner'],
    'query.item',
  ),
  'contract.usage': readIn('apps/identity/src/handlers/usage.handler.ts', ['module'], 'query.module'),
  ...each(
    ['infostore.copyFile', 'infostore.newFile', 'infostore.updateFile'],
    readIn('apps/files/src/handlers/update-file.handler.ts', ['json'], 'findFormJson(body)'),
  ),
  'mail/compose/{id}/send.send': readIn('apps/mail/src/compose/last-changes.ts', ['JSON'], "'JSON'"),
};

/** Parameters that are checked and mean nothing more by the API's own word or by what they name, with the reason. */
export const CHECKED_ONLY = {
  'tasks.confirm': byRule('the API: no conflict check, the folder is not looked at', ['folder', 'timestamp']),
  ...each(['mail.clear', 'mail.delete'], byRule('mails have no time of their last change', ['timestamp'])),
  'mail.updates': byRule('mail servers keep no log of changes: there are never any to leave out', [
    'ignore',
    'timezone',
  ]),
  'file.new': byRule('managed files are the same for all modules', ['module']),
  'find.autocompleteFiles': byRule('bounds values that are suggested; facets of files suggest none', ['limit']),
  'request-analysis.analyzeRequest': byRule('whose request it is does not depend on it', ['body.method']),
  ...each(
    ['copy', 'new', 'notify', 'saveAs', 'update'].map((name) => `infostore.${name}`),
    byRule('mail is the only value', ['body.notification.transport']),
  ),
  ...each(
    ['accept', 'accept_and_ignore_conflicts', 'decline', 'tentative', 'update'].map((name) => `chronos/itip.${name}`),
    byRule('differences are described by analyze alone', ['descriptionFormat']),
  ),
  'infostore.upload': {
    ...byRule('given by the server: a new version has the next number', ['version']),
    ...byRule('a hint: the bytes count', ['file_size']),
  },
  'mail.autosave': {
    ...byRule('a draft is named by its path', ['csid']),
    ...byRule('a link takes the place of files when the mail is sent', [
      ...['autodelete', 'enable', 'expiry_date', 'instruction_language', 'password'].map(
        (name) => `body.share_attachments.${name}`,
      ),
    ]),
  },
};

/** Columns whose one value is the truth for every row, with the reason. */
export const SAME_BY_NATURE = {
  AttachmentData: byRule('the API: of the common columns only those of the creation carry values', [
    ...['categories', 'color_label', 'comment', 'file_id', 'folder_id', 'lastModifiedOfNewestAttachmentUTC'],
    ...['last_modified', 'last_modified_utc', 'modified_by', 'number_of_attachments', 'private_flag'],
  ]),
  ContactData: {
    ...byRule('the API: never sent', ['context_id', 'number_of_links', 'number_of_links_list']),
    ...byRule('the API: stands for an order and is never returned', ['useCountGlobalFirst']),
  },
  DocumentData: byRule('the API: documents have no files on them', ['number_of_attachments']),
  FolderData: {
    ...byRule('publications are gone from the API', ['com.openexchange.publish.publicationFlag']),
  },
  UserData: {
    ...byRule('the API: never sent', ['context_id', 'image1', 'number_of_links', 'number_of_links_list']),
    ...byRule('the API: stand for an order and are never returned', ['special_sorting', 'useCountGlobalFirst']),
    ...byRule('a user is no distribution list', [
      ...['distribution_list', 'mark_as_distributionlist', 'number_of_distribution_list'],
    ]),
    ...byRule('the data of users is for all users', ['private_flag']),
  },
};
