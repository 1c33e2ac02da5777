import {
  type Access,
  allowCallers,
  type Auth,
  defineModule,
  type EventType,
  Field,
  internal,
  type ModuleContract,
  type Operation,
  value,
} from '../kit';

/** Asks whether the user may see or change the attachments of an object. */
export class AttachmentAccessQuery {
  @Field.int({ doc: 'Object', min: 0 }) object!: number;
  @Field.int({ doc: 'Folder through which the user sees it', min: 0 }) folder!: number;
  @Field.boolean({ doc: 'True to attach or detach, false to read' }) write!: boolean;
}

/** Attachments of an object now; see the event `attachments.object.changed`. */
export class AttachedFilesNotice {
  @Field.int({ doc: 'Object', min: 0 }) object!: number;
  @Field.int({ doc: 'Number of its attachments', min: 0 }) count!: number;
  @Field.timestamp({ doc: 'When the newest one was attached', optional: true }) newest?: number;
  @Field.timestamp({ doc: 'Number of this state; a higher one replaces a lower one' }) revision!: number;
  @Field.int({ doc: 'User who changed it', min: 0 }) userId!: number;
  @Field.boolean({ doc: 'Nothing else of the object changes: its participants are to be told', optional: true })
  announce?: boolean;
}

const operationsWith = (access: Access) => ({
  access: internal({
    access,
    calledBy: ['attachments'],
    doc: "Succeeds when the user may; else fails with the owner's own error",
    query: AttachmentAccessQuery,
    reply: value<boolean>('true'),
    repeatable: true,
  }),
  changed: internal({
    access: allowCallers('a number that the attachments service counted; it asked for access before'),
    calledBy: ['attachments'],
    doc: 'Takes over the number of attachments at once; the event with the same content is the guarantee',
    query: AttachedFilesNotice,
    reply: value<number>('`last_modified` of the object then, ms UTC; 0 when there is no such object'),
    repeatable: true,
  }),
});

type Operations = ReturnType<typeof operationsWith>;

/** Operations that every module whose objects carry attachments answers. */
export type AttachmentOwner = ModuleContract<{
  readonly [K in keyof Operations]: Operations[K] extends {
    readonly types?: { query: infer Q extends object; body: infer B; result: infer R };
  }
    ? Operation<Extract<Auth, 'internal'>, Q, B, R>
    : never;
}>;

/** Request for copies of the files of an object on a new one of its module; see `attached-files.copy`. */
export interface FileCopyRequest {
  /** New object. */
  readonly id: number;
  /** Object that has the files. */
  readonly from: number;
  /** Only these files; absent: all. */
  readonly files?: readonly number[];
}

/** Objects of one kind that carry attachments. */
export interface AttachableObjects {
  /** Module id of attachments: 1 appointment, 4 task, 7 contact, 137 infostore. */
  readonly id: number;
  readonly owner: AttachmentOwner;
  /** Rights that the module checks for every question. */
  readonly access: Access;
  /** Says that an object is gone, and its attachments with it. */
  readonly deleted: EventType<{ readonly id: number }>;
  /** Says that a new object gets the files of another one. */
  readonly copyRequested?: EventType<FileCopyRequest>;
}

const known = new Map<number, AttachableObjects>();

/**
 * Declares that objects of a module carry attachments; its service answers `<module>-attachments`, takes over the count of
 * the event `attachments.object.changed`, and publishes `deleted`, and `copyRequested` where its objects take over files of others.
 * @throws Error when another module has the id
 */
export function attachmentOwner(module: string, objects: Omit<AttachableObjects, 'owner'>): AttachmentOwner {
  const owner = defineModule(`${module}-attachments`, operationsWith(objects.access), {
    service: module,
  }) as unknown as AttachmentOwner;
  if (known.has(objects.id)) throw new Error(`${module}: attachments of module ${objects.id} have an owner already`);
  known.set(objects.id, { ...objects, owner });
  return owner;
}

/** All objects that carry attachments. */
export const listAttachableObjects = (): readonly AttachableObjects[] => [...known.values()];

/** The owner of the objects of a module id, or undefined. */
export const attachmentOwnerOf = (id: number): AttachmentOwner | undefined => known.get(id)?.owner;
