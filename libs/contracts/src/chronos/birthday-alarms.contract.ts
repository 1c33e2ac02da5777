import { allowCallers, defineModule, Field, internal, value } from '../kit';
import type { AlarmData } from './event.model';

/** Alarms of birthdays. */
export class BirthdayAlarmsChange {
  @Field.any({ doc: 'The alarms (AlarmData[])' }) alarms!: unknown;
}

/** The alarms that a user wants of all birthdays, for settings that show them. */
export const birthdayAlarms = defineModule(
  'birthday-alarms',
  {
    find: internal({
      access: allowCallers('alarms that the user who asks set for himself'),
      calledBy: ['settings'],
      doc: 'The alarms of birthdays for which the user who asks set none; null where he has no calendar of them',
      reply: value<AlarmData[] | null>('the alarms'),
      repeatable: true,
    }),
    replace: internal({
      access: allowCallers('alarms that the user who asks sets for himself'),
      calledBy: ['settings'],
      doc: 'Replaces the alarms of birthdays for which the user who asks set none; does nothing where he has no calendar of them',
      query: BirthdayAlarmsChange,
      reply: value<boolean>('whether there is a calendar of birthdays'),
    }),
  },
  { service: 'calendar' },
);
