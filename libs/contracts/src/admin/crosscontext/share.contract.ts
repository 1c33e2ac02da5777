import { allowCallers, defineModule, Field, internal, value } from '../../kit';
import { MAX_ENTITY_ID, ShareKey } from './share-key';

const OF_THE_OWNER = allowCallers('the module that keeps the shared object tells what it has decided itself');

/** A share with what the other side needs to know of it. */
export class Share extends ShareKey {
  @Field.int({ doc: 'Rights as the module counts them' }) permissions!: number;
  @Field.text({ doc: 'Name of the folder or object for people', optional: true, maxLength: 1024 }) name?: string;
  @Field.boolean({ doc: 'The default folder of the owner', optional: true }) defaultFolder?: boolean;
  @Field.boolean({ doc: 'The entity is a guest of the context of the owner', optional: true }) guest?: boolean;
  @Field.boolean({ doc: 'Deputies: mail may be sent in the name of the owner', optional: true }) sendOnBehalf?: boolean;
}

/** A link to something of another context for which there is no {@link Share} here. */
export class ForeignLink {
  @Field.int({ doc: 'User or group that has it', min: 0, max: MAX_ENTITY_ID }) entity!: number;
  @Field.boolean({ doc: 'The entity is a group' }) group!: boolean;
  @Field.text({ doc: 'Type: decides who can take it back', minLength: 1, maxLength: 64 }) type!: string;
  @Field.text({ doc: 'Module', minLength: 1, maxLength: 64 }) module!: string;
  @Field.int({ doc: 'Context it comes from', min: 1, max: MAX_ENTITY_ID }) from!: number;
  @Field.int({ doc: 'User who shares; 0: nobody in particular', min: 0, max: MAX_ENTITY_ID }) owner!: number;
  @Field.text({ doc: 'Name of the link within its type', minLength: 1, maxLength: 256 }) reference!: string;
}

/** Notices of modules about their shares. The context of the principal is the owner's, that of links the grantee's. */
export const shares = defineModule(
  'shares',
  {
    grant: internal({
      access: OF_THE_OWNER,
      calledBy: ['calendar'],
      doc: 'Notes a share, or what changed of it; the other side sees it at once',
      query: Share,
      reply: value<string>('id of the share'),
      repeatable: true,
    }),
    revoke: internal({
      access: OF_THE_OWNER,
      calledBy: ['calendar'],
      doc: 'Forgets a share; false when there is none',
      query: ShareKey,
      reply: value<boolean>('whether there was one'),
      repeatable: true,
    }),
    link: internal({
      access: OF_THE_OWNER,
      calledBy: ['calendar'],
      doc: 'Notes a link to something of another context',
      query: ForeignLink,
      reply: value<boolean>('true'),
      repeatable: true,
    }),
    unlink: internal({
      access: OF_THE_OWNER,
      calledBy: ['calendar'],
      doc: 'Forgets a link; false when there is none',
      query: ForeignLink,
      reply: value<boolean>('whether there was one'),
      repeatable: true,
    }),
  },
  { service: 'admin' },
);
