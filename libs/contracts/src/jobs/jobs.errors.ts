import { errorCatalog } from '../kit';

/** Errors of calls that go on without their request (prefix JOB_QUEUE). */
export const JobErrors = errorCatalog('JOB_QUEUE', {
  notFound: { number: 2, category: 'USER_INPUT', message: 'There is no job %1.', http: 404 },
  interrupted: {
    number: 9001,
    category: 'TRY_AGAIN',
    message: 'The server that worked on the job %1 is gone: what was asked may have been done or not.',
  },
  tooLarge: { number: 9002, category: 'ERROR', message: 'The job %1 was done; its answer has more than %2 bytes.' },
});
