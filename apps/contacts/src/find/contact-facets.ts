import type { FacetDeclaration } from '@groupware/contracts';

/** The facets of contacts. */
export const CONTACT_FACETS: readonly FacetDeclaration[] = [
  // Older clients call the field so.
  { id: 'global', style: 'simple', field: 'global', aliases: ['address_book'], text: 'find.global' },
  { id: 'name', style: 'simple', field: 'name', text: 'find.name' },
  { id: 'email', style: 'simple', field: 'email', text: 'find.email' },
  { id: 'phone', style: 'simple', field: 'phone', text: 'find.phone' },
  { id: 'department', style: 'simple', field: 'department', text: 'find.department' },
  { id: 'address', style: 'simple', field: 'address', text: 'find.address' },
  { id: 'contact', style: 'default', field: 'contact', text: 'find.contact' },
  {
    id: 'contact_type',
    style: 'exclusive',
    field: 'contact_type',
    text: 'find.contact_type',
    values: { contact: 'find.contact_type.contact', 'distribution list': 'find.contact_type.distribution_list' },
  },
];
