import { errorCatalog } from '../kit';

/** Shares with guests (API page "Errors", prefix SHR). */
export const ShareErrors = errorCatalog('SHR', {
  notFound: { number: 2, category: 'USER_INPUT', message: 'The share does not exist.', http: 404 },
  badLink: { number: 3, category: 'USER_INPUT', message: 'There is no link to folder %2 of module %1.', http: 404 },
  badAddress: { number: 5, category: 'USER_INPUT', message: '"%1" is no mail address.' },
  changed: { number: 6, category: 'CONFLICT', message: 'The share was changed in the meantime.' },
  noDeletePermission: { number: 7, category: 'PERMISSION_DENIED', message: 'No permission to delete the share.' },
  noEditPermission: { number: 8, category: 'PERMISSION_DENIED', message: 'No permission to change the share.' },
  noSharing: { number: 11, category: 'USER_INPUT', message: 'Module %1 cannot be shared.' },
  noItems: { number: 12, category: 'USER_INPUT', message: 'Module %1 shares folders only.' },
});
