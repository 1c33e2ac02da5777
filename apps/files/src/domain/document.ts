/** A version of a document. Times are ms UTC. */
export interface DocumentVersion {
  /** 0: the document has no file. */
  readonly version: number;
  readonly createdBy: number;
  readonly created: number;
  readonly title: string | null;
  readonly filename: string | null;
  readonly url: string | null;
  readonly description: string | null;
  readonly comment: string | null;
  readonly mimeType: string | null;
  readonly sizeBytes: number | null;
  /** Lower-case hex. */
  readonly md5: string | null;
  /** Reference in the file store. */
  readonly reference: string | null;
}

/** A user, group or guest with whom a document itself is shared. */
export interface StoredPermission {
  readonly entity: number;
  readonly group: boolean;
  /** 1 read, 2 read and write. */
  readonly bits: number;
  /** The user who gave it. */
  readonly createdBy: number;
}

/** A document with its current version. */
export interface Document {
  readonly id: number;
  readonly folderId: number;
  readonly createdBy: number;
  readonly modifiedBy: number;
  readonly created: number;
  readonly lastModified: number;
  /** Highest number of a version that was ever used. */
  readonly lastVersion: number;
  /** Number of versions with a file. */
  readonly versions: number;
  readonly categories: string | null;
  readonly color: number | null;
  readonly meta: unknown;
  readonly lockedBy: number | null;
  readonly lockedUntil: number | null;
  /** Folder from which it was thrown away. */
  readonly origin: number | null;
  /** Names of the folders there, from the top. */
  readonly originPath: string | null;
  readonly current: DocumentVersion;
  readonly permissions: readonly StoredPermission[];
}

/** Rights on a document itself. */
export const OBJECT_BITS = { none: 0, read: 1, write: 2 } as const;

/** True while another user keeps a document from being changed. */
export const isLockedFor = (
  { lockedBy, lockedUntil }: Pick<Document, 'lockedBy' | 'lockedUntil'>,
  userId: number,
  now: number,
): boolean => lockedBy !== null && lockedBy !== userId && (lockedUntil ?? 0) > now;

/** The files of versions, each once, and the space that the versions use. */
export const sumFiles = (
  versions: readonly DocumentVersion[],
): { readonly references: string[]; readonly sizeBytes: number } => ({
  references: [...new Set(versions.flatMap(({ reference }) => reference ?? []))],
  sizeBytes: versions.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0),
});

/** The right of a user on a document itself. */
export const objectBitsOf = (
  { permissions }: Pick<Document, 'permissions'>,
  { userId, groups }: { readonly userId: number; readonly groups: readonly number[] },
): number =>
  permissions
    .filter(({ entity, group }) => (group ? groups.includes(entity) : entity === userId))
    .reduce((most, { bits }) => Math.max(most, bits), 0);
