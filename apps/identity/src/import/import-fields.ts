/** Format of a file. */
export type ImportFormat = 'csv' | 'ldif';

/** One row of an import: values by field of the REST API; empty cells are absent. */
export interface ImportRow {
  /** Row in the file; the header is row 1. */
  readonly row: number;
  /** `modify` or `delete` of an LDIF change record; absent: the import mode decides. */
  readonly action?: string;
  readonly values: Readonly<Record<string, string>>;
}

/** Fields by normalized column title or attribute; null skips it. Overrides the built-in tables. */
export type FieldMapping = Readonly<Record<string, string | null>>;

/** The field with the bytes of a picture, in base64. */
export const IMAGE_FIELD = 'image.data';

/** Titles of columns, without case and punctuation, and the fields they stand for. */
export const CSV_FIELDS: Readonly<Record<string, string>> = {
  id: 'id',
  name: 'name',
  username: 'name',
  password: 'password',
  passwordhash: 'passwordHash',
  displayname: 'displayName',
  givenname: 'givenName',
  firstname: 'givenName',
  surname: 'surname',
  lastname: 'surname',
  sn: 'surname',
  email: 'email',
  mail: 'email',
  primaryemail: 'email',
  aliases: 'aliases',
  locale: 'locale',
  language: 'locale',
  timezone: 'timezone',
  title: 'title',
  department: 'department',
  company: 'company',
  position: 'position',
  enabled: 'enabled',
  quota: 'quotaMb',
  quotamb: 'quotaMb',
  accesscombinationname: 'combination',
  accesscombination: 'combination',
  groups: 'groups',
  members: 'members',
  description: 'description',
  available: 'available',
  type: 'type',
  capacity: 'capacity',
  telephonebusiness: 'phones.business',
  telephonehome: 'phones.home',
  mobile: 'phones.mobile',
  fax: 'phones.fax',
  phonesbusiness: 'phones.business',
  phoneshome: 'phones.home',
  phonesmobile: 'phones.mobile',
  phonesfax: 'phones.fax',
  image: IMAGE_FIELD,
  imapserver: 'imap.server',
  imaphost: 'imap.host',
  imapport: 'imap.port',
  imapsecure: 'imap.secure',
  imapstarttls: 'imap.starttls',
  imaplogin: 'imap.login',
  smtpserver: 'smtp.server',
  smtphost: 'smtp.host',
  smtpport: 'smtp.port',
  smtpsecure: 'smtp.secure',
  smtpstarttls: 'smtp.starttls',
  smtplogin: 'smtp.login',
};

/** Normalizes a title: without case and punctuation. */
export const normalizeTitle = (title: string): string => title.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
