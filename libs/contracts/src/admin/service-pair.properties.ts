import { property } from '../kit';

/** Login of cooperating services at the REST API. */
export const SERVICE_LOGIN = property<string>({
  key: 'com.example.rest.services.basic-auth.login',
  default: '',
  doc: 'Login of cooperating services at the REST API. Empty: GROUPWARE_REST_LOGIN counts.',
});
/** Its password. */
export const SERVICE_PASSWORD = property<string>({
  key: 'com.example.rest.services.basic-auth.password',
  default: '',
  doc: 'Password of cooperating services at the REST API. With the login before the pair of GROUPWARE_REST_LOGIN; half a pair lets nobody in.',
});
