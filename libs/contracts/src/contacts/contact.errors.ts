import { errorCatalog } from '../kit';

/** Data of people, users and contacts alike (prefix CON). */
export const ContactErrors = errorCatalog('CON', {
  badAddress: { number: 100, category: 'USER_INPUT', message: '"%1" is no mail address.', http: 400 },
  imageNotAccepted: {
    number: 101,
    category: 'USER_INPUT',
    message: 'The picture is not accepted: %1. Pictures are JPEG, PNG, GIF or WebP.',
    http: 400,
  },
  notContacts: { number: 103, category: 'PERMISSION_DENIED', message: 'Folder %1 holds no contacts.' },
  notReadable: {
    number: 104,
    category: 'PERMISSION_DENIED',
    message: 'No permission to read in folder %1.',
  },
  mustNotCreate: { number: 112, category: 'PERMISSION_DENIED', message: 'No permission to create in folder %1.' },
  changedInTheMeantime: {
    number: 119,
    category: 'CONFLICT',
    message: 'The contact %1 was changed in the meantime (client timestamp %2, actual timestamp %3).',
    display: 'The contact was changed in the meantime. Load it again and repeat your change.',
  },
  notFound: { number: 125, category: 'ERROR', message: 'Contact %1 was not found in context %2.', http: 404 },
  tooLong: {
    number: 154,
    category: 'USER_INPUT',
    message: 'The value of "%1" is too long: %3 characters, allowed are %2.',
    http: 400,
  },
  firstNameMissing: { number: 164, category: 'USER_INPUT', message: 'The first name is missing.', http: 400 },
  displayNameMissing: { number: 166, category: 'USER_INPUT', message: 'The display name is missing.', http: 400 },
  displayNameTaken: {
    number: 167,
    category: 'TRY_AGAIN',
    message: 'The display name "%1" is in use already.',
    http: 409,
  },
  badCharacter: {
    number: 168,
    category: 'USER_INPUT',
    message: 'The character %1 is not allowed in the field "%2".',
  },
  mustNotDelete: { number: 169, category: 'PERMISSION_DENIED', message: 'No permission to delete in folder %1.' },
  privateNotHere: {
    number: 171,
    category: 'USER_INPUT',
    message: 'The private flag is allowed in private folders only.',
  },
  imageTooLarge: {
    number: 172,
    category: 'USER_INPUT',
    message: 'The picture has %1 bytes, allowed are %2.',
    http: 400,
  },
  primaryAddressStays: {
    number: 173,
    category: 'PERMISSION_DENIED',
    message: 'The primary mail address of user %1 cannot be changed here.',
  },
  wrongFolder: { number: 174, category: 'PERMISSION_DENIED', message: 'Contact %1 is not in folder %2.' },
  lastNameMissing: { number: 175, category: 'USER_INPUT', message: 'The last name is missing.', http: 400 },
  mustNotChange: { number: 176, category: 'PERMISSION_DENIED', message: 'No permission to change contact %1.' },
  searchTooShort: {
    number: 1000,
    category: 'USER_INPUT',
    message: 'A search needs at least %1 characters.',
  },
  memberWithoutAddress: {
    number: 177,
    category: 'USER_INPUT',
    message: 'A member of a distribution list that is no contact needs a mail address.',
  },
});

/** Limits of contacts under codes of our own. */
export const ContactLimitErrors = errorCatalog('CONT', {
  tooMany: {
    number: 1,
    category: 'USER_INPUT',
    message: 'More than %1 contacts match. Ask for a part of them.',
  },
  resyncNeeded: {
    number: 3,
    category: 'CONFLICT',
    message: 'Deletions in folder %1 since %2 are no longer known (the oldest ones kept are of %3).',
    display: 'The address book was not updated for too long. Load it again as a whole.',
  },
  wordIgnored: { number: 2, category: 'WARNING', message: 'The search word "%1" was ignored.' },
});
