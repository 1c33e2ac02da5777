import { Field } from '../kit';

/** Service of the storage that this product keeps itself. */
export const OWN_FILE_SERVICE = 'com.example.infostore';

/** Account of that storage: each user has this one. */
export const OWN_FILE_ACCOUNT = 'infostore';

/** Service of WebDAV servers. */
export const WEBDAV_FILE_SERVICE = 'com.example.file.storage.webdav';

/** Capability of users who may have accounts of WebDAV servers, whatever the property says. */
export const WEBDAV_CAPABILITY = 'filestorage_webdav';

/** A field of the form that an account of a service is made with. */
export class FileServiceField {
  @Field.text({ doc: 'text, password or checkbox' }) widget!: string;
  @Field.text({ doc: 'Name in the configuration' }) name!: string;
  @Field.text({ doc: 'Label' }) displayName!: string;
  @Field.boolean({ doc: 'An account needs it' }) mandatory!: boolean;
  @Field.any({ doc: 'What the widget needs besides, by name', optional: true }) options?: object;
  @Field.any({ doc: 'What an account has without it', optional: true }) defaultValue?: object;
}

/** A kind of file storages. */
export class FileServiceData {
  @Field.text({ doc: 'Service' }) id!: string;
  @Field.text({ doc: 'Name for users' }) displayName!: string;
  @Field.list(() => FileServiceField, { doc: 'Form of an account; empty where accounts are not made' })
  configuration!: FileServiceField[];
}

/** A file storage of a user. */
export class FileAccountData {
  @Field.text({ doc: 'Account, unique within the service' }) id!: string;
  @Field.text({ doc: 'Service' }) filestorageService!: string;
  @Field.text({ doc: 'Account in ids of folders and files: <service>://<account>' }) qualifiedId!: string;
  @Field.text({ doc: 'Name for users' }) displayName!: string;
  @Field.text({ doc: 'Folder at the top' }) rootFolder!: string;
  @Field.boolean({ doc: 'New files go there by default' }) isDefaultAccount!: boolean;
  @Field.listOf('text', { doc: 'What the storage can do, upper-case names' }) capabilities!: string[];
  @Field.any({ doc: 'Values of the form, secrets left out' }) configuration!: object;
  @Field.boolean({ doc: 'The storage does not work; what follows says why', optional: true }) hasError?: boolean;
  @Field.text({ doc: 'Error for the user', optional: true }) error?: string;
  @Field.text({ doc: 'Code of the error', optional: true }) code?: string;
  @Field.listOf('text', { doc: 'Parameters of the error', optional: true }) error_params?: string[];
}

const displayName = Field.text({ doc: 'Name for users; default: that of the service', optional: true, maxLength: 255 });

/** An account to make. Other fields of an account have no effect. */
export class NewFileAccount {
  @Field.text({ doc: 'Service', maxLength: 255 }) filestorageService!: string;
  @displayName displayName?: string;
  @Field.any({ doc: 'Values of the form of the service, by name' }) configuration!: Record<string, unknown>;
}

/** Changes of an account; absent values stay. */
export class FileAccountUpdate {
  @Field.id({ doc: 'Account' }) id!: string;
  @Field.text({ doc: 'Service', maxLength: 255 }) filestorageService!: string;
  @displayName displayName?: string;
  @Field.any({
    doc: 'Values of the form that change, by name. Secrets are needed where server or login change',
    optional: true,
  })
  configuration?: Record<string, unknown>;
}

/** A service. */
export class FileServiceQuery {
  @Field.text({ doc: 'Service', maxLength: 255 }) id!: string;
}

/** Which accounts to list. */
export class FileAccountsQuery {
  @Field.text({ doc: 'Service; default: all', optional: true, maxLength: 255 }) filestorageService?: string;
  @Field.boolean({ doc: 'false: storages are not asked whether they work; default: true', optional: true })
  connectionCheck?: boolean;
}

/** An account. */
export class FileAccountQuery {
  @Field.text({ doc: 'Service', maxLength: 255 }) filestorageService!: string;
  @Field.text({ doc: 'Account', maxLength: 255 }) id!: string;
}
