import { Field } from '../kit';

/** User whose rules are meant. */
export class MailFilterQuery {
  @Field.text({
    doc: 'Login name of the user whose rules are meant; default: who asks. Others than the own one are refused',
    optional: true,
    maxLength: 256,
  })
  username?: string;
}

/** Which rules are listed. */
export class MailFilterListQuery extends MailFilterQuery {
  @Field.text({
    doc: 'Only rules with this flag: vacation, autoforward, antispam, category, syscategory; custom: those without any. Default all, without the categories',
    optional: true,
    maxLength: 64,
  })
  flag?: string;
}

/**
 * A test or an action of a rule: its `id` and what belongs to it, as the page of the API on mail filters lists them. Tests
 * may hold tests.
 */
export interface MailFilterPart {
  readonly id: string;
  readonly [field: string]: unknown;
}

/** A rule that can be read. */
export interface MailFilterRule {
  readonly id: number;
  /** Place in the order of execution, from 0. */
  readonly position: number;
  readonly rulename: string;
  readonly active: boolean;
  readonly flags: readonly string[];
  readonly test: MailFilterPart;
  readonly actioncmds: readonly MailFilterPart[];
}

/** A rule that is kept as it is. */
export interface ForeignMailFilterRule {
  readonly id: number;
  readonly position: number;
  /** Its text in the script. */
  readonly text: string;
  /** Why it cannot be edited. */
  readonly errormsg: string;
}

/** Elements that rules may consist of. */
export interface MailFilterConfig {
  readonly tests: readonly { readonly test: string; readonly comparison: readonly string[] }[];
  readonly actioncommands: readonly string[];
  /** Extensions of the server. */
  readonly capabilities: readonly string[];
}

/** The same for clients of the second generation. */
export interface MailFilterConfigV2 {
  readonly tests: readonly {
    readonly id: string;
    readonly comparisons?: readonly string[];
    readonly headers?: readonly string[];
    readonly parts?: readonly string[];
  }[];
  readonly actioncmds: readonly { readonly id: string }[];
  readonly options: { readonly allowNestedTests: boolean; readonly MAXREDIRECTS?: number };
}
