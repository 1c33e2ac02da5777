import { reminderOwner } from '../reminder/reminder-owner.contract';

/** The calendar reminds of appointments. */
export const calendarReminders = reminderOwner('calendar', 'calendar');
