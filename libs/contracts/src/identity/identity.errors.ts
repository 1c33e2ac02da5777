import { errorCatalog } from '../kit';

/** Users (prefix USR). */
export const DirectoryErrors = errorCatalog('USR', {
  userNotFound: { number: 10, category: 'ERROR', message: 'User %1 was not found in context %2.', http: 404 },
  badPasswordCharacters: {
    number: 15,
    category: 'USER_INPUT',
    message: 'The new password has characters that are not allowed.',
  },
  passwordTooShort: {
    number: 20,
    category: 'USER_INPUT',
    message: 'The new password must have at least %1 characters.',
  },
  passwordTooLong: { number: 21, category: 'USER_INPUT', message: 'The new password must have at most %1 characters.' },
  notALocale: { number: 23, category: 'USER_INPUT', message: '"%1" is no locale.' },
  passwordNotAllowed: { number: 26, category: 'USER_INPUT', message: 'The new password is refused. Allowed: %1.' },
  wrongPassword: { number: 27, category: 'USER_INPUT', message: 'The current password is wrong.' },
  passwordMissing: { number: 28, category: 'USER_INPUT', message: 'The current password is missing.' },
  newPasswordMissing: { number: 29, category: 'USER_INPUT', message: 'The new password is missing.' },
  notATimeZone: { number: 24, category: 'USER_INPUT', message: '"%1" is no time zone.' },
});

/** Addresses of pictures (prefix IMG, ours). */
export const ImageErrors = errorCatalog('IMG', {
  notFound: { number: 1, category: 'ERROR', message: 'There is no such picture.', http: 404, edgeStatus: true },
});

/** Contexts (prefix CTX). */
export const ContextErrors = errorCatalog('CTX', {
  notFound: { number: 2, category: 'CONFIGURATION', message: 'Context %1 was not found.', http: 404 },
  moving: {
    number: 7,
    category: 'TRY_AGAIN',
    message: 'The data is being moved to another place. Please try again in a few minutes.',
    http: 503,
  },
});

/** Groups (prefix GRP). */
export const GroupErrors = errorCatalog('GRP', {
  mandatoryMissing: { number: 4, category: 'USER_INPUT', message: 'The field "%1" is missing.', http: 400 },
  badName: {
    number: 5,
    category: 'USER_INPUT',
    message: 'The name has characters that are not allowed: "%1".',
    http: 400,
  },
  nameTaken: { number: 6, category: 'USER_INPUT', message: 'The group name is used by group %1 already.', http: 409 },
  memberUnknown: { number: 7, category: 'USER_INPUT', message: 'The member %1 does not exist.', http: 400 },
  mustNotCreate: { number: 9, category: 'PERMISSION_DENIED', message: 'You must not create groups.' },
  changedInTheMeantime: { number: 10, category: 'CONFLICT', message: 'The group was changed in the meantime.' },
  mustNotChange: { number: 11, category: 'PERMISSION_DENIED', message: 'You must not change groups.' },
  mustNotDelete: { number: 12, category: 'PERMISSION_DENIED', message: 'You must not delete groups.' },
  notDeletable: { number: 13, category: 'USER_INPUT', message: 'The group "%1" cannot be deleted.', http: 409 },
  notChangeable: { number: 14, category: 'USER_INPUT', message: 'The group "%1" cannot be changed.', http: 409 },
  displayNameReserved: { number: 15, category: 'USER_INPUT', message: 'The display name "%1" is reserved.', http: 409 },
  guestMember: { number: 16, category: 'USER_INPUT', message: 'Guest %1 must not be a member of a group.', http: 400 },
  notFound: { number: 17, category: 'ERROR', message: 'Group %1 was not found in context %2.', http: 404 },
});

/** Resources (prefix RES). */
export const ResourceErrors = errorCatalog('RES', {
  notFound: { number: 5, category: 'USER_INPUT', message: 'Resource %1 was not found.', http: 404 },
  nameTaken: { number: 6, category: 'USER_INPUT', message: 'A resource named "%1" exists already.', http: 409 },
  addressTaken: {
    number: 10,
    category: 'ERROR',
    message: 'A resource with the mail address "%1" exists already.',
    http: 409,
  },
  mandatoryMissing: { number: 8, category: 'ERROR', message: 'The field "%1" is missing.', http: 400 },
  mustNotChange: {
    number: 9,
    category: 'PERMISSION_DENIED',
    message: 'You must not change resources in context %1.',
  },
  badName: { number: 11, category: 'USER_INPUT', message: 'The name "%1" is not allowed.', http: 400 },
  badAddress: { number: 12, category: 'USER_INPUT', message: '"%1" is no mail address.', http: 400 },
  changedInTheMeantime: { number: 13, category: 'CONFLICT', message: 'The resource was changed in the meantime.' },
});

/** Provisioning: refusals that the public API has no codes for (prefix PROV, ours). */
export const ProvisioningErrors = errorCatalog('PROV', {
  nameTaken: { number: 1, category: 'CONFLICT', message: 'The user name "%1" is in use already.' },
  addressTaken: { number: 2, category: 'CONFLICT', message: 'The mail address "%1" is in use already%2.' },
  mappingTaken: { number: 3, category: 'CONFLICT', message: 'The login mapping "%1" is in use already.' },
  contextExists: { number: 4, category: 'CONFLICT', message: 'The context id %1 is in use or was used before.' },
  displayNameTaken: { number: 5, category: 'CONFLICT', message: 'The display name "%1" is in use already.' },
  administratorStays: {
    number: 6,
    category: 'CONFLICT',
    message: 'User %1 is the administrator of the context and cannot be deleted or disabled.',
  },
  primaryAddressStays: {
    number: 7,
    category: 'CONFLICT',
    message: 'The primary mail address "%1" must be among the aliases.',
  },
  accessNotAllowed: {
    number: 8,
    category: 'USER_INPUT',
    message: 'Module access beyond what the context allows: %1.',
    http: 422,
  },
  unknownAccess: { number: 9, category: 'USER_INPUT', message: 'Unknown module access "%1".', http: 400 },
  keyReused: {
    number: 10,
    category: 'CONFLICT',
    message: 'The idempotency key was used for a different request.',
    http: 422,
  },
  jobNotFound: { number: 12, category: 'USER_INPUT', message: 'Job %1 was not found.', http: 404 },
  propertyNotSettable: {
    number: 13,
    category: 'USER_INPUT',
    message: 'The property "%1" cannot be set for a %2.',
    http: 400,
  },
  badPropertyValue: {
    number: 14,
    category: 'USER_INPUT',
    message: 'The value does not fit the property "%1".',
    http: 400,
  },
  propertyNotSet: { number: 15, category: 'USER_INPUT', message: 'The property "%1" is not set here.', http: 404 },
  unreadableImport: { number: 16, category: 'USER_INPUT', message: 'The file cannot be read: %1.', http: 400 },
  tooManyWouldBeDisabled: {
    number: 17,
    category: 'CONFLICT',
    message: '%1 of %2 users would be disabled. Repeat with force=true if that is wanted.',
  },
  unknownHash: {
    number: 18,
    category: 'USER_INPUT',
    message: 'Password hashes of this kind are not supported.',
    http: 400,
  },
  invalidField: { number: 19, category: 'USER_INPUT', message: 'Invalid value in field "%1": %2.', http: 400 },
  unknownInvitation: {
    number: 20,
    category: 'USER_INPUT',
    message: 'This invitation is unknown, was used already or has expired. Ask for another one.',
    http: 403,
  },
  noMember: { number: 21, category: 'USER_INPUT', message: 'User %1 is no member of the group.', http: 404 },
});

/** Resellers (prefix RSL, ours). */
export const ResellerErrors = errorCatalog('RSL', {
  notFound: { number: 1, category: 'USER_INPUT', message: 'The reseller "%1" was not found.', http: 404 },
  parentUnknown: {
    number: 2,
    category: 'USER_INPUT',
    message: 'There is no reseller "%1" to be the parent.',
    http: 400,
  },
  circle: { number: 3, category: 'CONFLICT', message: 'The reseller "%1" would be above itself.' },
  passwordMissing: { number: 4, category: 'USER_INPUT', message: 'A new reseller needs a password.', http: 400 },
  inUse: { number: 5, category: 'CONFLICT', message: 'The reseller "%1" has contexts or resellers below it.' },
  restricted: { number: 6, category: 'CONFLICT', message: 'The reseller "%1" has reached its limit %2 of %3.' },
});

/** Errors of what contexts stand on: file stores, shards, named sets of flags (prefix INST, ours). */
export const InstallationErrors = errorCatalog('INST', {
  noFilestore: { number: 1, category: 'USER_INPUT', message: 'File store %1 was not found.', http: 404 },
  filestoreInUse: { number: 2, category: 'CONFLICT', message: 'File store %1 is in use.' },
  noSchema: { number: 3, category: 'USER_INPUT', message: 'Shard %1 was not found.', http: 404 },
  schemaExists: { number: 4, category: 'CONFLICT', message: 'A shard "%1" exists already.' },
  schemaInUse: { number: 5, category: 'CONFLICT', message: 'The shard %1 is in use.' },
  noAddress: {
    number: 6,
    category: 'USER_INPUT',
    message: 'The setting DATABASE_URLS has no address "%1".',
    http: 400,
  },
  badUri: { number: 7, category: 'USER_INPUT', message: '"%1" is no address of a file store.', http: 400 },
  noCombination: { number: 8, category: 'USER_INPUT', message: 'There is no module access named "%1".', http: 404 },
  combinationFixed: { number: 9, category: 'CONFLICT', message: 'The module access "%1" cannot be changed.' },
  unknownSchema: { number: 10, category: 'USER_INPUT', message: 'There is no shard "%1" with room.', http: 400 },
  unknownFilestore: { number: 11, category: 'USER_INPUT', message: 'There is no file store %1 with room.', http: 400 },
  preAssemblyOff: {
    number: 12,
    category: 'SERVICE_DOWN',
    message: 'Pre-assembly of contexts is switched off.',
    http: 503,
  },
  full: {
    number: 13,
    category: 'CAPACITY',
    message: 'No shard or no file store has room for a further context.',
    http: 503,
  },
  filesLeft: { number: 15, category: 'ERROR', message: '%1 files could not be read and stay where they are.' },
  moving: { number: 14, category: 'CONFLICT', message: 'Context %1 is being moved already.' },
  dataLeft: { number: 16, category: 'ERROR', message: 'Data of context %1 is left in %2.' },
});
