import { localText, type FacetDeclaration, type FindContact, type FindFacetValue } from '@groupware/contracts';

/** The facets of mails. */
export const MAIL_FACETS: readonly FacetDeclaration[] = [
  { id: 'global', style: 'simple', field: 'global', text: 'find.global' },
  { id: 'subject', style: 'simple', field: 'subject', text: 'find.subject' },
  { id: 'mail_text', style: 'simple', field: 'body', text: 'find.mail_text' },
  {
    id: 'contacts',
    style: 'default',
    field: 'from',
    fields: ['from', 'to', 'cc', 'bcc'],
    text: 'find.contacts',
  },
  {
    id: 'date',
    style: 'exclusive',
    field: 'date',
    text: 'find.date',
    values: {
      last_week: 'find.date.last_week',
      last_month: 'find.date.last_month',
      last_year: 'find.date.last_year',
    },
  },
];

const RECIPIENTS = ['to', 'cc', 'bcc'];

/** A person as a value: mails from one of the addresses, to one of them, or both. @param isToFirst mails to them are offered first */
export function toPersonValue(
  { id, item, addresses }: FindContact,
  locale: string,
  isToFirst: boolean,
): FindFacetValue {
  const option = (name: 'from' | 'to' | 'all', fields: readonly string[]) => ({
    id: name,
    name: localText(`find.contacts.${name}`, locale),
    filter: { fields, queries: addresses },
  });
  const [from, to] = [option('from', ['from']), option('to', RECIPIENTS)];
  return { id, item, options: [...(isToFirst ? [to, from] : [from, to]), option('all', ['from', ...RECIPIENTS])] };
}
