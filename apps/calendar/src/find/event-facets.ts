import type { FacetDeclaration, FindContact, FindFacetValue } from '@groupware/contracts';

/** The facets of events. */
export const EVENT_FACETS: readonly FacetDeclaration[] = [
  { id: 'global', style: 'simple', field: 'global', text: 'find.global' },
  { id: 'subject', style: 'simple', field: 'subject', text: 'find.subject' },
  { id: 'location', style: 'simple', field: 'location', text: 'find.location' },
  { id: 'description', style: 'simple', field: 'description', text: 'find.description' },
  { id: 'attachment', style: 'simple', field: 'attachment', text: 'find.attachment' },
  {
    id: 'participant',
    style: 'default',
    field: 'participant',
    fields: ['participant', 'users'],
    text: 'find.participant',
  },
  {
    id: 'status',
    style: 'exclusive',
    field: 'status',
    text: 'find.status',
    values: {
      ACCEPTED: 'find.status.ACCEPTED',
      TENTATIVE: 'find.status.TENTATIVE',
      DECLINED: 'find.status.DECLINED',
      'NEEDS-ACTION': 'find.status.NEEDS-ACTION',
    },
  },
  {
    id: 'range',
    style: 'exclusive',
    field: 'range',
    text: 'find.range',
    values: {
      one_month: 'find.range.one_month',
      three_months: 'find.range.three_months',
      one_year: 'find.range.one_year',
    },
  },
  {
    id: 'type',
    style: 'exclusive',
    field: 'type',
    text: 'find.type',
    values: { single: 'find.type.single', series: 'find.type.series' },
  },
];

/** A person as a value: events in which the user takes part, or who has the first of the addresses. */
export const toPersonValue = ({ id, item, addresses, userId }: FindContact): FindFacetValue => ({
  id,
  item,
  filter:
    userId === undefined
      ? { fields: ['participant'], queries: addresses.slice(0, 1) }
      : { fields: ['users'], queries: [String(userId)] },
});
