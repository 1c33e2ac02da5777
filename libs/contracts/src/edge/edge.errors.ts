import { errorCatalog } from '../kit';

/** Parameter and body checks of every module call (API page "Errors", prefix SVL). */
export const RequestErrors = errorCatalog('SVL', {
  unknownAction: { number: 1, category: 'ERROR', message: "Unknown action '%1'.", http: 400 },
  missingParameter: {
    number: 2,
    category: 'ERROR',
    message: "Missing the following request parameter: '%1'.",
    http: 400,
  },
  invalidCookie: {
    number: 3,
    category: 'TRY_AGAIN',
    message: 'The session cookie is invalid or has expired.',
    display: 'Please log in again.',
  },
  imageMissing: { number: 3, category: 'ERROR', message: 'The picture is missing in the upload.', http: 400 },
  unknownModule: { number: 7, category: 'ERROR', message: "Unknown module '%1'.", http: 404, edgeStatus: true },
  badJson: { number: 9, category: 'ERROR', message: "A value of the JSON data is missing or wrong: '%1'.", http: 400 },
  badParameter: { number: 10, category: 'ERROR', message: "Invalid value '%2' in parameter '%1'.", http: 400 },
  unexpected: {
    number: 11,
    category: 'ERROR',
    message: 'An unexpected error occurred.',
    http: 500,
    mayBeDone: true,
  },
  needsSecureConnection: {
    number: 14,
    category: 'ERROR',
    message: "Action '%1' needs a secure connection.",
    http: 400,
  },
  actionDisabled: { number: 15, category: 'PERMISSION_DENIED', message: "Action '%1' is disabled by configuration." },
  noModulePermission: { number: 16, category: 'PERMISSION_DENIED', message: "No permission for module '%1'." },
  changedInTheMeantime: { number: 17, category: 'CONFLICT', message: 'The object was changed in the meantime.' },
  tooManyRequests: {
    number: 19,
    category: 'TRY_AGAIN',
    message: 'Too many requests. Try again in %1 seconds.',
    http: 429,
    edgeStatus: true,
  },
  badRequest: { number: 20, category: 'ERROR', message: 'Bad request: %1.', http: 400, edgeStatus: true },
  unknownModuleAction: { number: 21, category: 'ERROR', message: "Unknown action '%1' in module '%2'.", http: 404 },
  noImage: {
    number: 22,
    category: 'USER_INPUT',
    message: 'The file "%1" (%2) is no supported picture. Pictures are JPEG, PNG, GIF or WebP.',
    http: 400,
  },
  wrongMethod: {
    number: 24,
    category: 'ERROR',
    message: "Action '%1' of module '%2' needs the HTTP method %3.",
    http: 405,
    edgeStatus: true,
  },
  wrongBodyType: {
    number: 28,
    category: 'ERROR',
    message: 'The request body has the wrong type: expected %1, got %2.',
    http: 400,
  },
  brokenJson: { number: 29, category: 'ERROR', message: 'The request body is not valid JSON.', http: 400 },
  parameterInUrl: { number: 30, category: 'ERROR', message: "Parameter '%1' is not allowed in the URL.", http: 400 },
  badBodyData: { number: 31, category: 'ERROR', message: 'Illegal data in the request body: %1.', http: 400 },
  serviceUnavailable: {
    number: 32,
    category: 'SERVICE_DOWN',
    message: "Module '%1' is not available at the moment. Try again later.",
    http: 503,
    edgeStatus: true,
  },
  deadlinePassed: {
    number: 33,
    category: 'TRY_AGAIN',
    message: "Module '%1' did not answer in time. Try again later.",
    http: 504,
    mayBeDone: true,
  },
  outcomeUnknown: {
    number: 35,
    category: 'ERROR',
    message: "Module '%1' went away during the call, which may have been done. Look before you repeat it.",
    http: 504,
    edgeStatus: true,
    mayBeDone: true,
  },
  keyReused: {
    number: 36,
    category: 'CONFLICT',
    message: 'The idempotency key was used for a different request.',
    http: 422,
    edgeStatus: true,
  },
  replyLost: {
    number: 37,
    category: 'CONFLICT',
    message: 'The call with this idempotency key was done before; what it answered is not known any more.',
    http: 409,
    edgeStatus: true,
  },
  batchTooLarge: {
    number: 38,
    category: 'USER_INPUT',
    message: 'The answers of one request have more than %1 bytes: ask for less at once.',
  },
  missingHeader: { number: 34, category: 'ERROR', message: "Missing request header '%1'.", http: 400 },
});

/** Uploads (prefix UPL). */
export const UploadErrors = errorCatalog('UPL', {
  failed: { number: 1, category: 'ERROR', message: 'The upload failed: %1.', http: 400 },
  notMultipart: { number: 4, category: 'ERROR', message: 'The request has no multipart content type.', http: 415 },
  tooLarge: {
    number: 5,
    category: 'USER_INPUT',
    message: 'The request size %1 exceeds the maximum of %2 bytes.',
    http: 413,
  },
  missingParameter: { number: 6, category: 'ERROR', message: 'The upload misses the parameter %1.' },
  notFound: { number: 10, category: 'USER_INPUT', message: 'The uploaded file %1 was not found.', http: 404 },
  wrongType: { number: 11, category: 'USER_INPUT', message: 'The content type %1 is not of the kind %2.' },
  closed: { number: 13, category: 'TRY_AGAIN', message: 'The connection was closed before the upload was complete.' },
});

/** Sessions (prefix SES). */
export const SessionErrors = errorCatalog('SES', {
  tooManyForUser: { number: 7, category: 'USER_INPUT', message: 'Too many sessions for user %1 in context %2.' },
  duplicateAuthId: {
    number: 8,
    category: 'ERROR',
    message: 'The authentication identifier is in use by another login (%1, %2).',
  },
  missing: { number: 201, category: 'ERROR', message: 'The session parameter is missing.', http: 401 },
  unknown: {
    number: 203,
    category: 'TRY_AGAIN',
    message: 'The session %1 has expired or is unknown. Please log in again.',
    display: 'Your session expired. Please log in again.',
    http: 401,
  },
  contextDisabled: { number: 204, category: 'TRY_AGAIN', message: 'Context %1 is disabled.', http: 403 },
  addressChanged: {
    number: 205,
    category: 'PERMISSION_DENIED',
    message: 'The client address changed from %1 to %2.',
    display: 'Your network address changed. Please log in again.',
    http: 401,
  },
  wrongSecret: {
    number: 206,
    category: 'TRY_AGAIN',
    message: 'The secret cookie of the session is missing or different.',
    display: 'Your session expired. Please log in again.',
    http: 401,
  },
  tooManyForClient: {
    number: 207,
    category: 'ERROR',
    message: 'Too many sessions for client %1 of user %2 in context %3.',
  },
  storeDown: {
    number: 208,
    category: 'ERROR',
    message: 'The session store is not reachable.',
    display: 'The session service is not available at the moment. Try again later.',
    http: 503,
    // With status 200 clients would take it, as all codes of this prefix, for the end of the session.
    edgeStatus: true,
  },
  unknownServerToken: {
    number: 210,
    category: 'USER_INPUT',
    message: 'There is no session for this server token.',
    http: 401,
  },
  wrongClientToken: {
    number: 211,
    category: 'USER_INPUT',
    message: 'There is no session for this pair of server and client token.',
    http: 401,
  },
});

/** REST edge (prefix REST). */

export const RestErrors = errorCatalog('REST', {
  unauthorized: { number: 401, category: 'PERMISSION_DENIED', message: 'Authentication is required.', http: 401 },
  forbidden: {
    number: 403,
    category: 'PERMISSION_DENIED',
    message: 'This administrator is not responsible for the requested object.',
    http: 403,
  },
  notFound: { number: 404, category: 'USER_INPUT', message: 'No such path: %1.', http: 404 },
  methodNotAllowed: { number: 405, category: 'USER_INPUT', message: 'The method %1 is not allowed here.', http: 405 },
  versionMismatch: { number: 412, category: 'CONFLICT', message: 'The object has version %1, not %2.', http: 412 },
  bodyTooLarge: { number: 413, category: 'USER_INPUT', message: 'The request body exceeds %1 bytes.', http: 413 },
  invalid: { number: 400, category: 'USER_INPUT', message: 'Invalid request: %1.', http: 400 },
  conflict: { number: 409, category: 'CONFLICT', message: '%1', http: 409 },
  disabled: { number: 503, category: 'SERVICE_DOWN', message: 'Switched off: %1 is false.', http: 503 },
});
