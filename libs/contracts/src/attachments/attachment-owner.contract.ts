import { defineModule, Field, internal, value, type Auth, type ModuleContract, type Operation } from '../kit';

/** Asks whether the user may see or change the attachments of an object. */
export class AttachmentAccessQuery {
  @Field.int({ doc: 'Object', min: 0 }) object!: number;
  @Field.int({ doc: 'Folder through which the user sees it', min: 0 }) folder!: number;
  @Field.boolean({ doc: 'True to attach or detach, false to read' }) write!: boolean;
}

/** What an object carries now; see the event `attachments.object.changed`. */
export class AttachedFilesNotice {
  @Field.int({ doc: 'Object', min: 0 }) object!: number;
  @Field.int({ doc: 'Number of its attachments', min: 0 }) count!: number;
  @Field.timestamp({ doc: 'When the newest one was attached', optional: true }) newest?: number;
  @Field.timestamp({ doc: 'Number of this state; a higher one replaces a lower one' }) revision!: number;
  @Field.int({ doc: 'User who changed it', min: 0 }) userId!: number;
}

const operations = {
  access: internal({
    doc: "Succeeds when the user may; else fails with the owner's own error",
    query: AttachmentAccessQuery,
    reply: value<boolean>('true'),
    repeatable: true,
  }),
  changed: internal({
    doc: 'Takes over the number of attachments at once; the event with the same content is the guarantee',
    query: AttachedFilesNotice,
    reply: value<boolean>('false when there is no such object'),
    repeatable: true,
  }),
};

/** Operations that every module whose objects carry attachments answers. */
export type AttachmentOwner = ModuleContract<{
  readonly [K in keyof typeof operations]: (typeof operations)[K] extends {
    readonly types?: { query: infer Q extends object; body: infer B; result: infer R };
  }
    ? Operation<Extract<Auth, 'internal'>, Q, B, R>
    : never;
}>;

const owners = new Map<number, AttachmentOwner>();

/**
 * Declares that objects of a module carry attachments; its service answers `<module>-attachments`.
 * @param id module id of attachments: 1 appointment, 4 task, 7 contact, 137 infostore
 */
export function attachmentOwner(module: string, id: number): AttachmentOwner {
  const contract = defineModule(`${module}-attachments`, operations, {
    service: module,
  }) as unknown as AttachmentOwner;
  owners.set(id, contract);
  return contract;
}

/** The owner of the objects of a module id, or undefined. */
export const attachmentOwnerOf = (id: number): AttachmentOwner | undefined => owners.get(id);
