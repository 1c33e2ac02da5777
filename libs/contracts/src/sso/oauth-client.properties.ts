import { property, propertyFamily } from '../kit';

/** Names of the services elsewhere. */
export const OAUTH_SERVICES = property<string>({
  key: 'com.example.oauth.services',
  default: '',
  doc: 'Comma list of names of services elsewhere with which users may have accounts (OAuth 2.0). Values of one are `com.example.oauth.<name>.…`: `displayName`, `apiKey`, `apiSecret`, `issuer` or `authorizationEndpoint`, `tokenEndpoint` and `userInfoEndpoint`, `revocationEndpoint`, `identityField` (`sub`), `authorizationParameters`, `mailServers` (hosts that its tokens may be shown to), and `scopes.<mail|calendar_ro|calendar|contacts_ro|contacts|drive|offline|generic>`. `com.example.oauth.<name>` switches it on, for the server, a context or a user.',
});

/** Whether a service is offered, by its name. */
export const oauthServiceEnabled = propertyFamily<boolean>(
  (name) => `com.example.oauth.${name}`,
  /^com\.example\.oauth\.[\w-]{1,64}$/,
  {
    default: false,
    scopes: ['user', 'context', 'server'],
    doc: 'The service elsewhere of this name is offered.',
  },
);

/** Plain HTTP. */
export const OAUTH_PLAIN = property<boolean>({
  key: 'com.example.oauth.allowPlain',
  default: false,
  doc: 'Connect accounts of services elsewhere over plain HTTP, too: for browsers and services on the same machine.',
});

/** Address to return to. */
export const OAUTH_CALLBACK_URL = property<string>({
  key: 'com.example.oauth.callbackUrl',
  default: '',
  doc: 'Address to which services elsewhere send browsers back. Empty: `<base>/defer` of the host that the browser came to.',
});

/** Most accounts. */
export const OAUTH_MAX_ACCOUNTS = property<number>({
  key: 'com.example.oauth.maxAccounts',
  default: 50,
  min: 1,
  max: 1_000,
  scopes: ['user', 'context', 'server'],
  doc: 'Most accounts of a user with services elsewhere.',
});
