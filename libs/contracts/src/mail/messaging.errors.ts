import { errorCatalog } from '../kit';

/** Messaging services and their accounts (API page "Mail extras", section messaging). */
export const MessagingErrors = errorCatalog('MESSAGING', {
  accountNotFound: {
    number: 4,
    category: 'ERROR',
    message: "There is no account %1 of the messaging service '%2'.",
    http: 404,
  },
  notSupported: {
    number: 6,
    category: 'ERROR',
    message: "The messaging service '%1' cannot do that.",
    http: 400,
  },
  folderNotFound: {
    number: 7,
    category: 'ERROR',
    message: "There is no messaging folder '%1'.",
    http: 404,
  },
  unknownAction: { number: 10, category: 'ERROR', message: "There is no messaging action '%1'.", http: 400 },
  unknownService: {
    number: 15,
    category: 'SERVICE_DOWN',
    message: "There is no messaging service '%1'.",
    http: 404,
  },
  missingParameter: { number: 16, category: 'USER_INPUT', message: "Missing parameter '%1'.", http: 400 },
  badParameter: { number: 17, category: 'USER_INPUT', message: "Invalid value '%2' in parameter '%1'.", http: 400 },
  badSorting: { number: 23, category: 'USER_INPUT', message: "Messages cannot be sorted by '%1'.", http: 400 },
  messageNotFound: {
    number: 25,
    category: 'ERROR',
    message: "There is no message '%1' in the messaging folder '%2'.",
    http: 404,
  },
});
