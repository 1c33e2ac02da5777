import { reminderOwner } from '../reminder/reminder-owner.contract';

/** The tasks service reminds of tasks. */
export const taskReminders = reminderOwner('tasks', 'tasks');
