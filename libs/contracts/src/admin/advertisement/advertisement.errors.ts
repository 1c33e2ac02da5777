import { errorCatalog } from '../../kit';

/** Advertisement (prefix ADVERTISEMENT). */
export const AdvertisementErrors = errorCatalog('ADVERTISEMENT', {
  notFound: {
    number: 2,
    category: 'ERROR',
    message: 'There is no advertisement configuration for %1.',
    display: 'There is no advertisement configuration.',
    http: 404,
  },
  unknownReseller: { number: 3, category: 'USER_INPUT', message: 'There is no reseller "%1".', http: 400 },
  unknownUser: { number: 4, category: 'USER_INPUT', message: 'There is no user %1 in context %2.', http: 400 },
});
