import { property } from '../kit';

/** Most bytes of one upload of files. */
export const MAX_FILE_UPLOAD = property<number>({
  key: 'com.example.infostore.maxUploadSize',
  default: 0,
  min: -1,
  doc: 'Most bytes of one upload of files; more give UPL-0005. -1: the general upload limit, 0: no limit of its own',
});

/** Most permissions of a document. */
export const MAX_PERMISSION_ENTITIES = property({
  key: 'com.example.infostore.maxPermissionEntities',
  default: 100,
  min: -1,
  scopes: ['context', 'server'],
  doc: 'Most users, groups and guests with whom one document is shared; more give IFO-2108. -1: no limit.',
});

/** Most rows of one answer. */
export const MAX_FILE_RESULTS = property({
  key: 'com.example.infostore.maxResults',
  default: 100_000,
  min: 1,
  scopes: ['context', 'server'],
  doc: 'Most documents that one answer may hold; more give FILES-0001.',
});

/** Life of locks without an end of their own. */
export const LOCK_TIMEOUT = property({
  key: 'com.example.infostore.lockTimeout',
  default: 86_400_000,
  min: 1,
  scopes: ['context', 'server'],
  doc: 'Time after which a lock of a document ends that was asked for without one, ms.',
});

/** Most versions of a document. */
export const MAX_FILE_VERSIONS = property({
  key: 'com.example.infostore.autodelete.default.maxVersions',
  default: 0,
  min: 0,
  scopes: ['user', 'context', 'server'],
  doc: 'Most versions of a document of users with the capability autodelete_file_versions: the oldest go when they add one. 0: no limit.',
});

/** Most documents of a context. */
export const MAX_DOCUMENTS = property({
  key: 'com.example.quota.infostore',
  default: -1,
  min: -1,
  scopes: ['context', 'server'],
  doc: 'Most documents of a context, those in the trash counted; a new one beyond gives QUOTA-0003. -1: no limit. Also `items.infostore` of the quota of a context.',
});

/** Most bytes of the files of an archive. */
export const MAX_ARCHIVE_BYTES = property({
  key: 'com.example.file.storage.zipFolderThreshold',
  default: 1_073_741_824,
  scopes: ['context', 'server'],
  doc: 'Most bytes that the files of one ZIP archive have before they are packed; more give FILE_STORAGE-0034. 0 or less: no limit.',
});

/** Whether uploads of files are scanned. */
export const SCAN_FILE_UPLOADS = property<string>({
  key: 'com.example.infostore.scanUploads',
  default: 'off',
  values: ['off', 'ifAvailable', 'required'],
  doc: 'Virus scan of uploads of files. off: none; ifAvailable: infected files are refused, files that could not be scanned are taken; required: files that could not be scanned are refused',
  scopes: ['context', 'server'],
});

/** Whether users may have accounts of WebDAV servers. */
export const WEBDAV_ENABLED = property({
  key: 'com.example.file.storage.webdav.enabled',
  default: false,
  scopes: ['user', 'context', 'server'],
  doc: 'Users may have accounts of WebDAV servers among their files; so may those with the capability filestorage_webdav. Which servers: see GROUPWARE_OUTBOUND_ALLOW',
});

/** Whether passwords of WebDAV servers may travel in the clear. */
export const WEBDAV_ALLOWS_PLAIN = property({
  key: 'com.example.file.storage.webdav.allowPlain',
  default: false,
  doc: 'WebDAV servers may have addresses that begin with http:, to which passwords and files go without encryption',
});

/** Most accounts of storages elsewhere. */
export const MAX_STORAGE_ACCOUNTS = property({
  key: 'com.example.file.storage.maxAccounts',
  default: 20,
  min: -1,
  scopes: ['user', 'context', 'server'],
  doc: 'Most accounts of a user with storages elsewhere; one more gives QUOTA-0003. -1: no limit',
});

/** Days for which the trash keeps documents and folders. */
export const TRASH_RETENTION_DAYS = property({
  key: 'com.example.infostore.trash.retentionDays',
  default: -1,
  min: -1,
  scopes: ['user', 'context', 'server'],
  doc: 'Days after which documents and folders in the trash are deleted for good. -1: never.',
});
