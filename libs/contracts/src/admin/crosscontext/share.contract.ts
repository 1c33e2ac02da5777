import { defineModule, Field, internal, value, type Auth, type ModuleContract, type Operation } from '../../kit';

/** Kinds of shares, in the order in which they are taken back. */
export const SHARE_KINDS = ['deputy', 'folder', 'object'] as const;
/** What is shared: acting for somebody, a folder, or one object. */
export type ShareKind = (typeof SHARE_KINDS)[number];

const MAX_ID = 2 ** 31 - 1;

/** What identifies a share within the owner's context. */
export class ShareKey {
  @Field.int({ doc: 'User who shares; 0: nobody in particular', min: 0, max: MAX_ID }) owner!: number;
  @Field.text({ doc: 'Module of the thing, such as calendar', minLength: 1, maxLength: 64 }) module!: string;
  @Field.text({ doc: 'What is shared', values: SHARE_KINDS }) kind!: ShareKind;
  @Field.text({ doc: 'Folder', optional: true, maxLength: 256 }) folder?: string;
  @Field.text({ doc: 'Object', optional: true, maxLength: 256 }) item?: string;
  @Field.int({ doc: 'Context of the entity that may see it', min: 1, max: MAX_ID }) granteeContext!: number;
  @Field.int({ doc: 'User or group that may see it', min: 0, max: MAX_ID }) entity!: number;
  @Field.boolean({ doc: 'The entity is a group' }) group!: boolean;
}

/** A share with what the other side needs to know of it. */
export class Share extends ShareKey {
  @Field.int({ doc: 'Rights as the module counts them' }) permissions!: number;
  @Field.text({ doc: 'Name of the folder or object for people', optional: true, maxLength: 1024 }) name?: string;
  @Field.boolean({ doc: 'The default folder of the owner', optional: true }) defaultFolder?: boolean;
  @Field.boolean({ doc: 'Deputies: mail may be sent in the name of the owner', optional: true }) sendOnBehalf?: boolean;
}

/** A link to something of another context for which there is no {@link Share} here. */
export class ForeignLink {
  @Field.int({ doc: 'User or group that has it', min: 0, max: MAX_ID }) entity!: number;
  @Field.boolean({ doc: 'The entity is a group' }) group!: boolean;
  @Field.text({ doc: 'Type: decides who can take it back', minLength: 1, maxLength: 64 }) type!: string;
  @Field.text({ doc: 'Module', minLength: 1, maxLength: 64 }) module!: string;
  @Field.int({ doc: 'Context it comes from', min: 1, max: MAX_ID }) from!: number;
  @Field.int({ doc: 'User who shares; 0: nobody in particular', min: 0, max: MAX_ID }) owner!: number;
  @Field.text({ doc: 'Name of the link within its type', minLength: 1, maxLength: 256 }) reference!: string;
}

/** What modules tell about their shares. The context of the principal is the owner's, that of links the grantee's. */
export const shares = defineModule(
  'shares',
  {
    grant: internal({
      doc: 'Notes a share, or what changed of it; the other side sees it at once',
      query: Share,
      reply: value<string>('id of the share'),
      repeatable: true,
    }),
    revoke: internal({
      doc: 'Forgets a share; false when there is none',
      query: ShareKey,
      reply: value<boolean>('whether there was one'),
      repeatable: true,
    }),
    link: internal({
      doc: 'Notes a link to something of another context',
      query: ForeignLink,
      reply: value<boolean>('true'),
      repeatable: true,
    }),
    unlink: internal({
      doc: 'Forgets a link; false when there is none',
      query: ForeignLink,
      reply: value<boolean>('whether there was one'),
      repeatable: true,
    }),
  },
  { service: 'admin' },
);

const ownerOperations = {
  retract: internal({
    doc: 'Takes the rights away that a share gave; a share that is gone is no error',
    query: ShareKey,
    reply: value<boolean>('false when it was gone'),
    repeatable: true,
  }),
};

/** Operations that every module answers whose things are shared between contexts. */
export type ShareOwner = ModuleContract<{
  readonly [K in keyof typeof ownerOperations]: (typeof ownerOperations)[K] extends {
    readonly types?: { query: infer Q extends object; body: infer B; result: infer R };
  }
    ? Operation<Extract<Auth, 'internal'>, Q, B, R>
    : never;
}>;

const owners = new Map<string, ShareOwner>();

/** Declares that things of a module are shared; its service answers `<module>-shares`. */
export function shareOwner(module: string, service = module): ShareOwner {
  const contract = defineModule(`${module}-shares`, ownerOperations, { service }) as unknown as ShareOwner;
  owners.set(module, contract);
  return contract;
}

/** The owner of the shares of a module; undefined for modules that take rights away when they hear of the event. */
export const shareOwnerOf = (module: string): ShareOwner | undefined => owners.get(module);
