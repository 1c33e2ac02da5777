import { errorCatalog } from '../kit';

/** Access by applications (prefix OAUTH_PROVIDER). */
export const OAuthProviderErrors = errorCatalog('OAUTH_PROVIDER', {
  clientNotFound: { number: 1, category: 'USER_INPUT', message: 'The application %1 is not registered.', http: 404 },
  badRedirect: {
    number: 2,
    category: 'USER_INPUT',
    message: 'The address %1 cannot be one to return to: https, or http on this machine, without fragment.',
    http: 400,
  },
  badScope: { number: 3, category: 'USER_INPUT', message: 'The scope %1 is unknown.', http: 400 },
  badRequest: {
    number: 4,
    category: 'USER_INPUT',
    message: 'The application is unknown, or asked to return to an address that is not registered.',
    http: 400,
  },
  formExpired: {
    number: 5,
    category: 'USER_INPUT',
    message: 'The page is too old, was sent already or comes from another browser.',
    display: 'This page is too old. Please begin again in the application.',
    http: 403,
  },
  invalidToken: {
    number: 6,
    category: 'PERMISSION_DENIED',
    message: 'The access token is unknown or expired.',
    http: 401,
    edgeStatus: true,
  },
  insufficientScope: {
    number: 7,
    category: 'PERMISSION_DENIED',
    message: 'The access token does not have the scope %1.',
    http: 403,
    edgeStatus: true,
  },
});
