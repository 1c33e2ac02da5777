import { EventFieldsQuery } from '../chronos/chronos.queries';
import { Field, property } from '../kit';

/** Most results of one page. */
export const MAX_FIND_RESULTS = property({
  key: 'com.example.find.maxResults',
  default: 1000,
  min: 20,
  max: 10_000,
  scopes: ['context', 'server'],
  doc: 'Most results of one page of a search by facets; more give FIND-0019.',
});

/** Module for which facets are asked. */
export class FindAutocompleteQuery {
  @Field.text({ doc: 'Module in which is searched', maxLength: 64 }) module!: string;
  @Field.int({ doc: 'Most values of one facet; default: 10', optional: true, min: 1, max: 100 }) limit?: number;
}

/** Module to search, and the columns of the result. */
export class FindQuery {
  @Field.text({ doc: 'Module in which is searched', maxLength: 64 }) module!: string;
  @Field.columns({ doc: 'Column numbers or names of the results; default: list', optional: true }) columns?: string[];
}

/** Module in which events are searched, and the fields of the result. */
export class FindEventsQuery extends EventFieldsQuery {
  @Field.text({ doc: 'Module in which is searched', maxLength: 64 }) module!: string;
}

/** Facets chosen so far. */
export class FindBody {
  @Field.any({
    doc: 'Chosen values: a list of `{"facet": id, "value": id, "filter": {"fields": […], "queries": […]} | null}`',
    optional: true,
  })
  facets?: unknown;
  @Field.any({ doc: 'Object of texts: timezone, admin', optional: true }) options?: unknown;
}

/** Text that a user typed, and the facets chosen so far. */
export class FindAutocompleteBody extends FindBody {
  @Field.text({ doc: 'What the user typed; may be empty', maxLength: 1024 }) prefix!: string;
}

/** A page of what the facets chosen leave. */
export class FindQueryBody extends FindBody {
  @Field.int({ doc: 'First result, from 0; counts together with size', optional: true }) start?: number;
  @Field.int({ doc: 'Most results; default: 20', optional: true }) size?: number;
}

/** Restriction by a facet value. Each query must be found in one of the fields. */
export interface FindFilter {
  readonly fields: readonly string[];
  readonly queries: readonly string[];
}

/** A text shown for a value or facet. */
export interface FindItem {
  readonly name: string;
  readonly detail?: string;
  readonly image_url?: string;
}

/** One of the ways to use a value. */
export interface FindFacetOption {
  readonly id: string;
  readonly name: string;
  readonly filter: FindFilter;
}

/** A value of a facet: it has a filter, or options with one each. */
export interface FindFacetValue {
  readonly id: string;
  readonly name?: string;
  readonly item?: FindItem;
  readonly filter?: FindFilter;
  readonly options?: readonly FindFacetOption[];
}

/** A facet that a client may choose from. */
export interface FindFacet {
  readonly id: string;
  readonly style: 'simple' | 'default' | 'exclusive';
  readonly name?: string;
  readonly item?: FindItem;
  readonly filter?: FindFilter;
  readonly values?: readonly FindFacetValue[];
  readonly options?: readonly FindFacetValue[];
  /** `conflicts:<facet id>` */
  readonly flags: readonly string[];
}

/** The facets that are left to choose. */
export interface FindFacets {
  readonly facets: readonly FindFacet[];
}

/** One page of results. */
export interface FindPage {
  /** -1: not counted. */
  readonly num_found: number;
  readonly start: number;
  /** Results of this page. */
  readonly size: number;
  readonly results: readonly Readonly<Record<string, unknown>>[];
}
