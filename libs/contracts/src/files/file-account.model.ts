import { Field } from '../kit';

/** Service of the storage that this product keeps itself. */
export const OWN_FILE_SERVICE = 'com.example.infostore';

/** Account of that storage: each user has this one. */
export const OWN_FILE_ACCOUNT = 'infostore';

/** A field of the form that an account of a service is made with. */
export class FileServiceField {
  @Field.text({ doc: 'text, password or checkbox' }) widget!: string;
  @Field.text({ doc: 'Name in the configuration' }) name!: string;
  @Field.text({ doc: 'Label' }) displayName!: string;
  @Field.boolean({ doc: 'An account needs it' }) mandatory!: boolean;
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
}

/** A service. */
export class FileServiceQuery {
  @Field.text({ doc: 'Service', maxLength: 255 }) id!: string;
}

/** Which accounts to list. */
export class FileAccountsQuery {
  @Field.text({ doc: 'Service; default: all', optional: true, maxLength: 255 }) filestorageService?: string;
}

/** An account. */
export class FileAccountQuery {
  @Field.text({ doc: 'Service', maxLength: 255 }) filestorageService!: string;
  @Field.text({ doc: 'Account', maxLength: 255 }) id!: string;
}
