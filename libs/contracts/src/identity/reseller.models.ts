import { Field } from '../kit';
import { CapabilityChange } from './provisioning.models';

/** Names of resellers. */
export const RESELLER_NAME = /^[a-zA-Z0-9._-]{1,64}$/;

/** How much a reseller may create, together with the resellers below; absent: no limit. */
export class ResellerRestrictions {
  @Field.int({ doc: 'Most contexts', optional: true, min: 0 }) maxContexts?: number;
  @Field.int({ doc: 'Most users of all contexts together', optional: true, min: 0 }) maxUsers?: number;
  @Field.number({ doc: 'Largest sum of the file quotas of the contexts, MB', optional: true, min: 0 })
  maxQuotaMb?: number;
}

/** A reseller as it is written; what is absent gets its default, but the password stays. */
export class ResellerInput {
  @Field.text({ doc: 'Name for people; default: the name', optional: true, minLength: 1, maxLength: 320 })
  displayName?: string;
  @Field.text({
    doc: 'Password; needed for a new reseller',
    optional: true,
    writeOnly: true,
    minLength: 1,
    maxLength: 1024,
  })
  password?: string;
  @Field.text({ doc: 'Reseller above', optional: true, maxLength: 64 }) parent?: string;
  @Field.any({
    doc: 'Values of the configuration cascade for its contexts: object of texts, numbers, booleans',
    optional: true,
  })
  config?: Record<string, unknown>;
  @Field.listOf('text', { doc: 'Taxonomy types of its contexts', optional: true, maxItems: 100 }) taxonomies?: string[];
  @Field.object(() => CapabilityChange, { doc: 'Capabilities of the users of its contexts', optional: true })
  capabilities?: CapabilityChange;
  @Field.object(() => ResellerRestrictions, { doc: 'How much it may create', optional: true })
  restrictions?: ResellerRestrictions;
}

/** A reseller as operators see it. */
export class ResellerData {
  @Field.text({ doc: 'Name; also the login' }) name!: string;
  @Field.text({ doc: 'Name for people' }) displayName!: string;
  @Field.text({ doc: 'Reseller above', optional: true }) parent?: string;
  @Field.any({ doc: 'Values of the configuration cascade by key' }) config!: Record<string, string>;
  @Field.listOf('text', { doc: 'Taxonomy types' }) taxonomies!: string[];
  @Field.object(() => CapabilityChange, { doc: 'Capabilities' }) capabilities!: CapabilityChange;
  @Field.object(() => ResellerRestrictions, { doc: 'How much it may create' }) restrictions!: ResellerRestrictions;
  @Field.timestamp({ doc: 'Creation, ms UTC' }) createdAt!: number;
  @Field.int({ doc: 'Counts changes; for If-Match' }) version!: number;
}

/** A page of resellers. */
export class ResellerPage {
  @Field.list(() => ResellerData, { doc: 'Resellers in the order of their names' }) items!: ResellerData[];
  @Field.text({ doc: 'Value of after for the next page', optional: true }) next?: string;
}
