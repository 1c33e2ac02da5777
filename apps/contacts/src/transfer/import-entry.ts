import type { CatalogueError } from '@groupware/contracts';
import type { Picture } from '@groupware/pictures';
import type { StoredMember } from '../domain/contact';
import type { ContactContent } from '../domain/contact-input';

/** A contact as one entry of a file describes it. */
export interface ImportedContact {
  /** All fields that the format knows; those that the entry leaves out are null, but for the private flag. */
  readonly content: ContactContent;
  /** Absent: one is made. */
  readonly uid?: string;
  /** Members, of a distribution list. */
  readonly members?: readonly StoredMember[];
  /** Absent: the contact keeps the one that it has. */
  readonly picture?: Picture;
  /** The vCard to keep beside the contact. */
  readonly card?: string;
}

/** One entry of a file that is imported: either `contact` or `error` is present. */
export interface ImportEntry {
  /** Position in the file, from 0. */
  readonly index: number;
  /** From 1. */
  readonly line: number;
  readonly contact?: ImportedContact;
  readonly error?: CatalogueError;
  /** Values that were left out. */
  readonly warnings: readonly CatalogueError[];
  /** Names of fields that an error or warning is about. */
  readonly fields?: readonly string[];
}
