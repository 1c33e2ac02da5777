import { defineModule, Field, plain, restAt } from '../../kit';
import { CrossContextErrors } from './crosscontext.errors';
import { SHARE_KINDS } from './share-key';

const MAX_ID = 2 ** 31 - 1;

/** Place of a context. */
export class CrossContextPath {
  @Field.contextId() context!: number;
}
/** Places of a user. */
export class CrossContextUserPath extends CrossContextPath {
  @Field.int({ doc: 'User id', min: 1, max: MAX_ID }) user!: number;
}

/** Which links to purge; absent: all. */
export class InboundPurgeQuery {
  @Field.int({ doc: 'Only from this context', optional: true, min: 1, max: MAX_ID }) from?: number;
  @Field.int({ doc: 'Only of this owner; 0: those without', optional: true, min: 0, max: MAX_ID }) owner?: number;
  @Field.text({ doc: 'Only of this module', optional: true, minLength: 1, maxLength: 64 }) module?: string;
}
/** Which shares to purge; absent: all. */
export class OutboundPurgeQuery {
  @Field.int({ doc: 'Only to this context', optional: true, min: 1, max: MAX_ID }) to?: number;
  @Field.text({ doc: 'Only of this module', optional: true, minLength: 1, maxLength: 64 }) module?: string;
}

/** An entity that sees things of other contexts. */
export class InboundEntity {
  @Field.int({ doc: 'User or group' }) entity!: number;
  @Field.text({ doc: 'Kind', values: ['user', 'group'] }) type!: string;
  @Field.any({ doc: 'Contexts by module: {module: [contextIds]}' }) liaisons!: Record<string, number[]>;
  @Field.listOf('text', { doc: 'Zones of trust; for users only', optional: true }) trustZones?: string[];
}
/** Entities of a context that see things of other contexts. */
export class InboundContext {
  @Field.int({ doc: 'Context id' }) context!: number;
  @Field.list(() => InboundEntity, { doc: 'Entities in the order of their ids' }) entities!: InboundEntity[];
}
/** Contexts of which a user sees things, also through groups. */
export class InboundUser extends CrossContextUserPath {
  @Field.listOf('text', { doc: 'Zones of trust' }) trustZones!: string[];
  @Field.any({ doc: 'Contexts by module: {module: [contextIds]}' }) liaisons!: Record<string, number[]>;
}
/** Outcome of a purge of what a user sees. */
export class InboundPurgeResult extends CrossContextUserPath {
  @Field.int({ doc: 'Taken back' }) retracted!: number;
  @Field.int({ doc: 'To be tried again: somebody who is needed was away' }) deferred!: number;
  @Field.int({ doc: 'Failed' }) failed!: number;
  @Field.any({ doc: 'Left alone because nobody can take them back: {type: number}', optional: true })
  skippedNoRetractor?: Record<string, number>;
}
/** A share with another context. */
export class OutboundShare {
  @Field.int({ doc: 'Context of the entity' }) context!: number;
  @Field.int({ doc: 'User, group or guest' }) entity!: number;
  @Field.text({ doc: 'Kind of entity; guests have a link or an invitation', values: ['user', 'group', 'guest'] })
  type!: string;
  @Field.text({ doc: 'Module' }) module!: string;
  @Field.text({ doc: 'Kind of share', values: SHARE_KINDS }) kind!: string;
  @Field.text({ doc: 'Folder', optional: true }) folder?: string;
  @Field.text({ doc: 'Object', optional: true }) item?: string;
  @Field.int({ doc: 'Rights' }) permissions!: number;
  @Field.timestamp({ doc: 'Since when, ms UTC' }) created!: number;
}
/** Shares of a user with other contexts. */
export class OutboundList extends CrossContextUserPath {
  @Field.list(() => OutboundShare, { doc: 'Shares' }) shares!: OutboundShare[];
}
/** Outcome of a purge of what a user shares. */
export class OutboundPurgeResult extends CrossContextUserPath {
  @Field.int({ doc: 'Taken back' }) retracted!: number;
  @Field.int({ doc: 'To be tried again' }) deferred!: number;
  @Field.int({ doc: 'Failed' }) failed!: number;
}

const base = '/preliminary/crosscontext/v1';
const unknownContext = [CrossContextErrors.contextNotFound];
const unknownUser = [CrossContextErrors.userNotFound];

/** Shares between contexts, for operators. */
export const crossContext = defineModule(
  'preliminary-crosscontext',
  {
    listInboundOfContext: restAt(CrossContextPath, {
      http: 'GET',
      callers: ['service'],
      path: `${base}/inbound/{context}`,
      doc: 'Who of a context sees things of which other contexts',
      reply: plain<InboundContext>(InboundContext),
      errors: unknownContext,
    }),
    listInboundOfUser: restAt(CrossContextUserPath, {
      http: 'GET',
      callers: ['service'],
      path: `${base}/inbound/{context}/{user}`,
      doc: 'Of which other contexts a user sees things, himself or through groups',
      reply: plain<InboundUser>(InboundUser),
      errors: unknownUser,
    }),
    purgeInbound: restAt(CrossContextUserPath, {
      http: 'DELETE',
      callers: ['service'],
      path: `${base}/inbound/{context}/{user}`,
      doc: 'Takes back what a user himself sees of other contexts, item by item, without asking anybody',
      query: InboundPurgeQuery,
      reply: plain<InboundPurgeResult>(InboundPurgeResult),
      repeatable: true,
      errors: unknownUser,
    }),
    listOutbound: restAt(CrossContextUserPath, {
      http: 'GET',
      callers: ['service'],
      path: `${base}/outbound/{context}/{user}`,
      doc: 'What a user shares with other contexts',
      reply: plain<OutboundList>(OutboundList),
      errors: unknownUser,
    }),
    purgeOutbound: restAt(CrossContextUserPath, {
      http: 'DELETE',
      callers: ['service'],
      path: `${base}/outbound/{context}/{user}`,
      doc: 'Takes back what a user shares with other contexts: deputies first, then folders, then objects',
      query: OutboundPurgeQuery,
      reply: plain<OutboundPurgeResult>(OutboundPurgeResult),
      repeatable: true,
      errors: unknownUser,
    }),
  },
  { service: 'admin' },
);
