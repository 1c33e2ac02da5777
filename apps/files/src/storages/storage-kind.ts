import type { FileServiceData, UserPrincipal } from '@groupware/contracts';
import type { ByteRange } from '@groupware/file-store';

/** A request to a storage: the user, and how long the answer is waited for. */
export interface StorageRequest {
  readonly principal: UserPrincipal;
  /** ms UTC */
  readonly deadline: number;
  readonly signal: AbortSignal;
}

/** Values of the form of an account, by field: texts and flags. */
export type StorageConfiguration = Readonly<Record<string, string | boolean>>;

/** A configuration taken apart: what is answered to the user, and what never is. */
export interface SplitConfiguration {
  readonly open: StorageConfiguration;
  readonly secret: StorageConfiguration;
}

/** A file or folder of a storage. */
export interface StorageEntry {
  /** Names below the root, joined by slashes; empty for the root itself. */
  readonly path: string;
  readonly isFolder: boolean;
  readonly sizeBytes?: number;
  /** ms UTC; 0 where the storage does not say. */
  readonly modified: number;
  /** ms UTC */
  readonly created?: number;
  readonly mimeType?: string;
  /** Changes with the bytes. */
  readonly tag?: string;
}

/** Bytes of a file on their way. */
export interface StorageBytes {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** The part that was asked for; undefined where the storage sends the whole file all the same. */
  readonly range?: { readonly start: number; readonly end: number };
}

/** A file to be written. */
export interface StorageUpload {
  readonly sizeBytes: number;
  readonly contentType: string;
  /** Opens the bytes. */
  readonly open: () => AsyncIterable<Uint8Array>;
}

/** The storage of one account, as long as a call takes. All methods throw the errors of {@link FileStorageErrors}. */
export interface StorageConnection {
  /** One file or folder; undefined where there is none. */
  findEntry(path: string): Promise<StorageEntry | undefined>;
  /** Lists the files and folders directly in a folder; undefined where there is none. */
  listEntries(path: string): Promise<StorageEntry[] | undefined>;
  /** The bytes of a file, or a part of them; undefined where there is none. */
  readFile(path: string, range?: ByteRange): Promise<StorageBytes | undefined>;
  /** Writes a file; false where there is one already that must not be replaced. */
  writeFile(path: string, file: StorageUpload, replaces: boolean): Promise<boolean>;
  /** Makes a folder; false where its name is taken. */
  createFolder(path: string): Promise<boolean>;
  /** Moves or renames; false where the name is taken. */
  move(from: string, to: string, isFolder: boolean): Promise<boolean>;
  /** Copies a file; false where the name is taken. */
  copy(from: string, to: string): Promise<boolean>;
  /**
   * Deletes a file, or a folder with everything below it; false where there is none. With a tag a file goes only while it has this
   * one, as far as the storage can tell.
   */
  remove(path: string, isFolder: boolean, tag?: string): Promise<boolean>;
}

/** An account as its storage is reached. */
export interface StorageAccess {
  /** A storage answered with these values before. */
  readonly isChecked: boolean;
  readonly displayName: string;
  readonly configuration: StorageConfiguration;
}

/**
 * A kind of storages elsewhere: another one is a folder beside this file with a class of this shape, and its name in the list of
 * `storage-kinds.ts`.
 */
export interface StorageKind {
  /** Name of the service: the scheme of ids. */
  readonly id: string;
  /** Capabilities of such storages: clients show by them what they offer. */
  readonly capabilities: readonly string[];
  /** Whether the user may have such accounts. */
  isEnabledFor(user: UserPrincipal): Promise<boolean>;
  /** The service with its form, in the language of the locale. */
  toService(locale: string): FileServiceData;
  /**
   * Checks and splits the values of the form. What is stored already stays, although the settings of the server refuse it by now.
   * @throws FILE_STORAGE-0017, FILE_STORAGE-0018
   */
  splitConfiguration(values: Readonly<Record<string, unknown>>, stored?: StorageConfiguration): SplitConfiguration;
  /** To whom the secrets of an account are told: they are asked for anew when it changes. */
  audienceOf(open: StorageConfiguration): string;
  /** The storage of an account. Nothing is sent before it is used. */
  connect(request: StorageRequest, access: StorageAccess): StorageConnection;
}
