import { allowCallers, defineModule, Field, internal, requireRights, value } from '../kit';
import { ATTACHMENT_RIGHTS } from './attachment.access';
import { AttachmentErrors, VirusErrors } from './attachment.errors';

/** Objects of one module. */
export class ObjectsWithFilesQuery {
  @Field.int({ doc: '1 appointment, 4 task, 7 contact, 137 infostore', min: 0 }) module!: number;
  @Field.listOf('int', { doc: 'Objects' }) objects!: number[];
}

/** Objects of one module whose files are asked for. */
export class FilesOfObjectsQuery extends ObjectsWithFilesQuery {
  @Field.listOf('int', { doc: 'Files that are listed, too, whatever object has them', optional: true })
  files?: number[];
}

/** Names by which objects of one module are looked for. */
export class ObjectsByFileNameQuery {
  @Field.int({ doc: '1 appointment, 4 task, 7 contact, 137 infostore', min: 0 }) module!: number;
  @Field.listOf('text', { doc: 'Parts of names; `*` and `?` are wildcards', maxItems: 10_000 })
  names!: string[];
}

/** A file on an object. */
export interface AttachedFile {
  readonly id: number;
  readonly object: number;
  readonly name: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  /** When it was attached, ms UTC. */
  readonly created: number;
  /** SHA-256 of its content, lower-case hex. */
  readonly sha256: string;
}

/** A file that the edge stored. */
export class StoredUpload {
  @Field.text({ doc: 'Reference in the file store', maxLength: 1024 }) reference!: string;
  @Field.text({ doc: 'File name', maxLength: 1024 }) name!: string;
  @Field.text({ doc: 'Media type', maxLength: 255 }) contentType!: string;
  @Field.int({ doc: 'Size in bytes', min: 0, max: Number.MAX_SAFE_INTEGER }) sizeBytes!: number;
  @Field.text({ doc: 'SHA-256, lower-case hex', optional: true, maxLength: 64 }) sha256?: string;
}

/** The place of files. */
export class FilesOfObjectQuery {
  @Field.int({ doc: '1 appointment, 4 task, 7 contact, 137 infostore', min: 0 }) module!: number;
  @Field.int({ doc: 'Object', min: 0 }) object!: number;
  @Field.int({ doc: 'Folder through which the user sees it', min: 0 }) folder!: number;
}

/** Files to attach. */
export class AttachFilesQuery extends FilesOfObjectQuery {
  @Field.list(() => StoredUpload, { doc: 'In the order of their ids to come', maxItems: 1000 }) files!: StoredUpload[];
}

/** Files of an object that another one of its module gets, too. */
export class CopyFilesQuery {
  @Field.int({ doc: '1 appointment, 4 task, 7 contact, 137 infostore', min: 0 }) module!: number;
  @Field.int({ doc: 'Object that has the files', min: 0 }) object!: number;
  @Field.int({ doc: 'New object that gets copies of them', min: 0 }) target!: number;
  @Field.listOf('int', { doc: 'Only these files; absent: all', optional: true }) files?: number[];
}

/** Files to detach. */
export class DetachFilesQuery extends FilesOfObjectQuery {
  @Field.listOf('int', { doc: 'Attachments; unknown ids are ignored' }) ids!: number[];
}

/** One file of an object. */
export class AttachedFileQuery extends FilesOfObjectQuery {
  @Field.int({ doc: 'Attachment', min: 0 }) id!: number;
}

/** A file on an object with the place of its bytes. */
export interface LocatedFile {
  /** Reference in the file store; gone when the file is detached. */
  readonly reference: string;
  readonly name: string;
  readonly contentType: string;
  readonly sizeBytes: number;
}

/** A file on one of several objects with the place of its bytes. */
export interface LocatedObjectFile extends AttachedFile {
  /** Reference in the file store, the same for equal files; gone when all of them are detached. */
  readonly reference: string;
}

/** Files of objects, for the modules that show and take them as parts of their objects. */
export const attachedFiles = defineModule(
  'attached-files',
  {
    list: internal({
      access: allowCallers('the calendar asks about events that the user may read, and uses nothing of others'),
      calledBy: ['calendar'],
      doc: 'The files of objects, in the order in which they were attached',
      query: FilesOfObjectsQuery,
      reply: value<AttachedFile[]>('files of all objects'),
      repeatable: true,
    }),
    findObjects: internal({
      access: allowCallers('tasks and calendar show only what the user may read'),
      calledBy: ['calendar', 'tasks'],
      doc: 'Objects that have files with such names, those with the newest files where there are too many',
      query: ObjectsByFileNameQuery,
      reply: value<number[][]>('ids of the objects of each name'),
      repeatable: true,
    }),
    locate: internal({
      access: requireRights(ATTACHMENT_RIGHTS.read),
      calledBy: ['files'],
      doc: 'Where the bytes of a file are, for a copy in the name of the user who asks',
      query: AttachedFileQuery,
      reply: value<LocatedFile>('the file'),
      repeatable: true,
      errors: [AttachmentErrors.notFound],
    }),
    locateAll: internal({
      access: allowCallers('the calendar names the events whose files its mails carry, and uses nothing of others'),
      calledBy: ['outgoing-mail'],
      doc: 'Where the bytes of the files of objects are, in the order in which they were attached, for mails that carry them',
      query: ObjectsWithFilesQuery,
      reply: value<LocatedObjectFile[]>('files of all objects'),
      repeatable: true,
    }),
    attach: internal({
      access: requireRights(ATTACHMENT_RIGHTS.write),
      calledBy: ['calendar'],
      doc: 'Attaches uploaded files, all or none, in the name of the user who asks',
      query: AttachFilesQuery,
      reply: value<number[]>('ids in the order of the files'),
      deadlineMs: 120_000,
      errors: [AttachmentErrors.quotaReached, VirusErrors.found],
    }),
    copy: internal({
      access: allowCallers('the calendar makes two objects of one, and checked that the user may'),
      calledBy: ['calendar'],
      doc: 'Gives a new object copies of the files of another one, once for each new object; ahead of the event that asks for the same',
      query: CopyFilesQuery,
      reply: value<boolean>('true'),
      repeatable: true,
    }),
    detach: internal({
      access: requireRights(ATTACHMENT_RIGHTS.write),
      calledBy: ['calendar'],
      doc: 'Detaches files in the name of the user who asks',
      query: DetachFilesQuery,
      reply: value<boolean>('true'),
    }),
  },
  { service: 'attachments' },
);
