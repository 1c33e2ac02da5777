import { errorCatalog } from '../kit';

/** Problems of one attendee, answered beside the others' times (rest-api, administrative free/busy). */
export const FreeBusyErrors = errorCatalog('CAL', {
  attendeeUnknown: {
    number: 5033,
    category: 'SERVICE_DOWN',
    message: 'No free/busy information is available for %1.',
  },
  attendeeHidden: {
    number: 40312,
    category: 'PERMISSION_DENIED',
    message: 'The free/busy information of %1 is restricted.',
  },
});

/** Refusals of questions about free/busy (prefix FBY). */
export const FreeBusyRequestErrors = errorCatalog('FBY', {
  badBoundary: { number: 1, category: 'USER_INPUT', message: '%1 is no point in time: %2.', http: 400 },
  badRange: { number: 2, category: 'USER_INPUT', message: 'The end must be after the begin.', http: 400 },
  rangeTooLong: { number: 3, category: 'USER_INPUT', message: 'The range is longer than %1 days.', http: 400 },
  noAttendees: { number: 4, category: 'USER_INPUT', message: 'No attendee is given.', http: 400 },
  tooManyAttendees: { number: 5, category: 'USER_INPUT', message: 'More than %1 attendees are given.', http: 400 },
  badAttendee: { number: 6, category: 'USER_INPUT', message: '%1 is neither a user id nor a mail address.', http: 400 },
  notPublished: { number: 7, category: 'USER_INPUT', message: 'Nothing is published here.', http: 404 },
  userNotFound: { number: 8, category: 'USER_INPUT', message: 'User %1 was not found in context %2.', http: 404 },
});
