import { errorCatalog } from '../kit';

/** Reminders (API page "Errors", prefix REM). */
export const ReminderErrors = errorCatalog('REM', {
  alarmMissing: { number: 3, category: 'USER_INPUT', message: 'The time of the alarm is missing.' },
  notFound: { number: 9, category: 'ERROR', message: 'Reminder %1 was not found in context %2.', http: 404 },
  idMissing: { number: 16, category: 'USER_INPUT', message: 'The id of a reminder is missing.' },
});
