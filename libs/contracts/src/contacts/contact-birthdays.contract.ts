import { allowCallers, defineModule, Field, internal, value } from '../kit';

/** Which birthdays. */
export class BirthdaysQuery {
  @Field.int({ doc: 'Most birthdays', min: 1 }) limit!: number;
}

/** The birthday of a contact. */
export interface ContactBirthday {
  /** Of the contact. */
  readonly id: number;
  readonly name: string;
  /** Midnight UTC of the day; in year 1 where the year is not known. */
  readonly birthday: number;
}

/** Birthdays of contacts, for calendars that show them. */
export const contactBirthdays = defineModule(
  'contact-birthdays',
  {
    list: internal({
      access: allowCallers('birthdays of contacts that the user who asks may read'),
      calledBy: ['calendar'],
      doc: 'The birthdays of all contacts that the user who asks may read, in the order of the contacts',
      query: BirthdaysQuery,
      reply: value<ContactBirthday[]>('the birthdays'),
      repeatable: true,
    }),
  },
  { service: 'contacts' },
);
