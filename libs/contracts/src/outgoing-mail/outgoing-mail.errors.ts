import { errorCatalog } from '../kit';

/** Errors of mails of the system under their `OML` codes. */
export const OutgoingMailErrors = errorCatalog('OML', {
  queueFull: {
    number: 9001,
    category: 'CAPACITY',
    message: 'Too many mails wait to be sent: no more than %1 may. Please try again later.',
    http: 503,
  },
  notConfigured: {
    number: 9002,
    category: 'TRY_AGAIN',
    message: 'The mail to %1 waits: the server has no mail server yet.',
  },
  refused: {
    number: 9003,
    category: 'USER_INPUT',
    message: 'The mail server does not take mails for %1.',
  },
});
