import { allowCallers, defineModule, Field, internal, value } from '../kit';

/** A scheduling message (RFC 5546) for a user. */
export class SchedulingQuery {
  @Field.int({ doc: 'Whose calendar', min: 1 }) user!: number;
  @Field.text({ doc: 'METHOD' }) method!: string;
  @Field.text({ doc: 'Lower-case mail address of the sender', optional: true }) sender?: string;
  @Field.boolean({ doc: 'The sender may answer for somebody else, and invite though the user does not know him' })
  anySender!: boolean;
  @Field.text({ doc: 'iCalendar text' }) text!: string;
}

/** Whether anything changed. */
export type SchedulingOutcome = 'applied' | 'ignored';

/** Scheduling messages from other calendar systems. */
export const calendarScheduling = defineModule(
  'calendar-scheduling',
  {
    receive: internal({
      access: allowCallers('a mail that reached the user; each event is checked against what its sender may change'),
      calledBy: ['push'],
      doc: 'Applies answers of external participants, and of users who sent them themselves (REPLY), and invitations, changes and cancellations of external organizers (REQUEST, ADD, CANCEL), to calendars of the user; other methods are ignored. A repetition changes nothing',
      query: SchedulingQuery,
      reply: value<SchedulingOutcome>('what became of it'),
      repeatable: true,
    }),
  },
  { service: 'calendar' },
);
