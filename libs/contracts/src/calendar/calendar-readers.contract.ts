import { allowCallers, defineModule, Field, internal, value } from '../kit';

/** Calendar folders and users, for the question who may read which. */
export class CalendarReadersQuery {
  @Field.listOf('int', { doc: 'Calendar folders' }) folders!: number[];
  @Field.listOf('int', { doc: 'Users' }) users!: number[];
}

/** Readers of calendars of others, for modules that tell about changes. */
export const calendarReaders = defineModule(
  'calendar-readers',
  {
    of: internal({
      access: allowCallers('answers who may read, not what; the push service tells nobody else'),
      calledBy: ['push'],
      doc: 'Users who may read everything in a folder, by folder id; folders without any are left out',
      query: CalendarReadersQuery,
      reply: value<Record<string, number[]>>('ids of users by folder id'),
      repeatable: true,
    }),
  },
  { service: 'calendar' },
);
