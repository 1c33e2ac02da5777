import { allowCallers, defineModule, Field, internal, requireRights, value } from '../kit';
import { ShareKey } from '../admin/crosscontext/share-key';
import type { OwnedPermission } from '../folders/folder-owner.models';
import { FILE_RIGHTS } from './file.access';

/** A document as a user names it who shares it. */
export class SharedDocumentQuery {
  @Field.id({ doc: 'Document, as number or with its folder' }) id!: string;
  @Field.id({ doc: 'Its folder' }) folder!: string;
}

/** Other rights on a document. */
export class SharedDocumentChange {
  @Field.int({ doc: 'Number of the document', min: 1 }) id!: number;
  @Field.timestamp({ doc: 'Stamp of the state that the change is about' }) timestamp!: number;
  @Field.any({ doc: 'All rights: `[{entity, group, bits}]`' }) permissions!: readonly OwnedPermission[];
}

/** A document by its number. */
export class DocumentNumberQuery {
  @Field.int({ doc: 'Number of the document', min: 1 }) id!: number;
}

/** A document that a guest opens by a link. */
export class GuestDocumentQuery extends DocumentNumberQuery {
  @Field.int({ doc: 'The guest', min: 1 }) guest!: number;
  @Field.text({ doc: 'To be saved or shown', values: ['download', 'view'] }) delivery!: 'download' | 'view';
}

/** The file of a document, ready to be sent. */
export interface SharedDocumentContent {
  /** Reference in the file store. */
  readonly reference: string;
  readonly name: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  readonly inline: boolean;
  /** Changes with the content. */
  readonly tag: string;
  /** When the version was made, ms UTC. */
  readonly modified: number;
}

/** A document as who shares it needs to know it. */
export interface ShareableDocument {
  readonly id: number;
  readonly title: string;
  /** ms UTC */
  readonly lastModified: number;
  readonly permissions: readonly OwnedPermission[];
  readonly mayShare: boolean;
  readonly inTrash: boolean;
}

/** A right on a document with the user who gave it. */
export interface GivenPermission extends OwnedPermission {
  readonly createdBy: number;
}

/** Place of a document, and the rights on it itself. */
export interface DocumentSharing {
  readonly folder: number;
  readonly title: string;
  readonly permissions: readonly GivenPermission[];
}

/** Rights on documents by themselves, for those who keep links and lists of shares. */
export const sharedDocuments = defineModule(
  'shared-documents',
  {
    get: internal({
      access: requireRights(FILE_RIGHTS.read),
      calledBy: ['folders'],
      doc: 'A document with the rights on itself; IFO-0300 when there is none in the folder, IFO-0400 when the user does not read it',
      query: SharedDocumentQuery,
      reply: value<ShareableDocument>('the document'),
      repeatable: true,
    }),
    update: internal({
      access: requireRights(FILE_RIGHTS.write),
      calledBy: ['folders'],
      doc: 'Writes the rights on a document; IFO-1302 when it changed since, IFO-0403 where the user does not share it',
      query: SharedDocumentChange,
      reply: value<number>('stamp of the document, ms UTC'),
    }),
    content: internal({
      access: allowCallers(
        'identity has authenticated the guest; only what is shared with that guest by itself is answered',
      ),
      calledBy: ['identity'],
      doc: 'The file of a document that is shared with a guest by itself; null when there is none; needs no user in the principal',
      query: GuestDocumentQuery,
      reply: value<SharedDocumentContent | null>('the file'),
      repeatable: true,
    }),
    sharing: internal({
      access: allowCallers('for operators who look at shares: no user asks'),
      calledBy: ['admin'],
      doc: 'Where a document is and who has rights on it itself; null when it is gone; needs no user in the principal',
      query: DocumentNumberQuery,
      reply: value<DocumentSharing | null>('the document'),
      repeatable: true,
    }),
    retract: internal({
      access: allowCallers('an operator takes a share back, whoever gave it'),
      calledBy: ['admin'],
      doc: 'Takes away the rights that a share gave on a document; false when they were gone; needs no user in the principal',
      query: ShareKey,
      reply: value<boolean>('whether there were any'),
      repeatable: true,
    }),
  },
  { service: 'files' },
);
