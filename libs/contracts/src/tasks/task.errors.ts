import { errorCatalog } from '../kit';

/** Errors of tasks (prefix TSK). */
export const TaskErrors = errorCatalog('TSK', {
  notTasks: { number: 6, category: 'PERMISSION_DENIED', message: 'Folder %1 holds no tasks.' },
  changedInTheMeantime: {
    number: 7,
    category: 'CONFLICT',
    message: 'The task %1 was changed in the meantime (client timestamp %2, actual timestamp %3).',
    display: 'The task was changed in the meantime. Load it again and repeat your change.',
  },
  privateNotHere: {
    number: 8,
    category: 'USER_INPUT',
    message: 'Private tasks are allowed in private folders of the own only.',
  },
  mustNotDelete: { number: 14, category: 'PERMISSION_DENIED', message: 'No permission to delete in folder %1.' },
  participantNotFound: { number: 18, category: 'ERROR', message: 'The user %1 does not take part in the task %2.' },
  notFound: { number: 19, category: 'ERROR', message: 'Task %1 was not found in context %2.', http: 404 },
  notReadable: { number: 23, category: 'PERMISSION_DENIED', message: 'No permission to read in folder %1.' },
  mustNotCreate: { number: 25, category: 'PERMISSION_DENIED', message: 'No permission to create in folder %1.' },
  noDelegation: { number: 26, category: 'PERMISSION_DENIED', message: 'No permission to delegate tasks.' },
  folderMissing: { number: 27, category: 'ERROR', message: 'The folder of the task is missing.' },
  privateNotDelegated: {
    number: 28,
    category: 'USER_INPUT',
    message: 'A private task cannot have participants.',
  },
  badPercent: { number: 30, category: 'USER_INPUT', message: 'The percentage %1 is not between 0 and 100.' },
  percentNotStarted: {
    number: 31,
    category: 'USER_INPUT',
    message: 'A task that is not started is completed by 0 percent, not by %1.',
  },
  mustNotWrite: { number: 33, category: 'PERMISSION_DENIED', message: 'No permission to write in folder %1.' },
  notMovable: {
    number: 34,
    category: 'PERMISSION_DENIED',
    message: 'Tasks cannot be moved from or to shared folders.',
  },
  badRecurrenceType: { number: 36, category: 'USER_INPUT', message: 'Unknown kind of recurrence %1.' },
  recurrenceValueMissing: {
    number: 37,
    category: 'USER_INPUT',
    message: 'A value of the recurrence is missing or wrong: %1 (%2).',
  },
  badStatus: { number: 39, category: 'ERROR', message: 'Unknown status %1.' },
  startAfterEnd: { number: 40, category: 'USER_INPUT', message: 'The start %1 is after the end %2.' },
  tooLong: {
    number: 41,
    category: 'TRUNCATED',
    message: 'The value of "%1" is too long: allowed are %2 characters, it has %3.',
  },
  privateNotPublic: {
    number: 42,
    category: 'PERMISSION_DENIED',
    message: 'A private task cannot be moved into a public folder.',
  },
  notTheCreator: { number: 43, category: 'USER_INPUT', message: 'Only the creator of a task may make it private.' },
  externalWithoutAddress: {
    number: 44,
    category: 'USER_INPUT',
    message: 'An external participant needs a mail address.',
  },
  notVisible: { number: 46, category: 'PERMISSION_DENIED', message: 'Task %1 is not visible in folder %2.' },
  badData: { number: 47, category: 'USER_INPUT', message: 'Invalid data: %1.' },
  wrongFolder: { number: 48, category: 'PERMISSION_DENIED', message: 'Task %1 is not in folder %2.' },
  badParticipantType: { number: 49, category: 'ERROR', message: 'Unknown kind of participant %1.' },
  searchTooShort: { number: 51, category: 'USER_INPUT', message: 'A search needs at least %1 characters.' },
  emptyGroup: { number: 52, category: 'USER_INPUT', message: 'The group %1 has no members.' },
  uidStays: { number: 53, category: 'ERROR', message: 'The unique id of a task cannot be changed.' },
  noNumber: { number: 55, category: 'USER_INPUT', message: 'The value %1 of "%2" is no number.' },
  badPriority: { number: 57, category: 'USER_INPUT', message: 'The priority %1 is not between 1 and 3.' },
  badCharacter: { number: 58, category: 'USER_INPUT', message: 'The character %1 is not allowed in the field "%2".' },
  folderNotVisible: { number: 59, category: 'PERMISSION_DENIED', message: 'Folder %1 is not visible.' },
});

/** Limits of tasks under codes of our own. */
export const TaskLimitErrors = errorCatalog('TASK', {
  tooMany: { number: 1, category: 'USER_INPUT', message: 'More than %1 tasks match. Ask for a part of them.' },
  tooManyParticipants: { number: 2, category: 'USER_INPUT', message: 'A task has at most %1 participants.' },
  resyncNeeded: {
    number: 3,
    category: 'CONFLICT',
    message: 'Deletions in folder %1 since %2 are no longer known (the oldest ones kept are of %3).',
    display: 'The tasks were not updated for too long. Load them again as a whole.',
  },
});
