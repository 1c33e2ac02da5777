import { Field } from '../../kit';

/** Kinds of shares, in the order in which they are taken back. */
export const SHARE_KINDS = ['deputy', 'folder', 'object'] as const;
/** Kind of a share: acting for a user, a folder, or one object. */
export type ShareKind = (typeof SHARE_KINDS)[number];

/** Highest id of contexts, users and groups. */
export const MAX_ENTITY_ID = 2 ** 31 - 1;

/** Key of a share within the owner's context. */
export class ShareKey {
  @Field.int({ doc: 'User who shares; 0: nobody in particular', min: 0, max: MAX_ENTITY_ID }) owner!: number;
  @Field.text({ doc: 'Module of the thing, such as calendar', minLength: 1, maxLength: 64 }) module!: string;
  @Field.text({ doc: 'What is shared', values: SHARE_KINDS }) kind!: ShareKind;
  @Field.text({ doc: 'Folder', optional: true, maxLength: 256 }) folder?: string;
  @Field.text({ doc: 'Object', optional: true, maxLength: 256 }) item?: string;
  @Field.int({ doc: 'Context of the entity that may see it', min: 1, max: MAX_ENTITY_ID }) granteeContext!: number;
  @Field.int({ doc: 'User or group that may see it', min: 0, max: MAX_ENTITY_ID }) entity!: number;
  @Field.boolean({ doc: 'The entity is a group' }) group!: boolean;
}
