import { property, type PropertyScope } from '../../kit';

const PREFIX = 'com.example.davclient';
const EVERYWHERE: readonly PropertyScope[] = ['user', 'context', 'server'];
const text = (key: string, doc: string, value = '') =>
  property<string>({ key: `${PREFIX}.${key}`, default: value, scopes: EVERYWHERE, doc });

/** Scheme of the links that open the client. */
export const DAV_CLIENT_SCHEME = text('scheme', 'Scheme of the links that open the DAV client.', 'davclient');
/** Name of the product in the client. */
export const DAV_CLIENT_PRODUCT = text('productName', 'Name of the product that the DAV client shows.');
/** Description in the client. */
export const DAV_CLIENT_DESCRIPTION = text('description', 'Description of the product that the DAV client shows.');
/** Logo in the client. */
export const DAV_CLIENT_LOGO = text(
  'logoImage',
  'Logo that the DAV client shows: an https: address, or data:image/… of at most 256 KB.',
);
/** Header image in the client. */
export const DAV_CLIENT_HEADER = text(
  'headerImage',
  'Header image that the DAV client shows: an https: address, or data:image/… of at most 256 KB.',
);
/** Address of help. */
export const DAV_CLIENT_SUPPORT_LINK = text(
  'support.linkDestination',
  'Address where users of the DAV client find help.',
);
/** Title of the link to help. */
export const DAV_CLIENT_SUPPORT_TITLE = text('support.linkTitle', 'Title of the link to help.');
/** Description of help. */
export const DAV_CLIENT_SUPPORT_TEXT = text('support.description', 'What the DAV client says of help.');

/** Life of tokens. */
export const DAV_TOKEN_LIFE = property<number>({
  key: `${PREFIX}.token.lifetime`,
  default: 600_000,
  min: 1_000,
  max: 86_400_000,
  doc: 'Life of a token that a DAV client sets itself up with, ms.',
});

/** Set-ups of one address. */
export const DAV_REQUESTS_PER_ADDRESS = property<number>({
  key: `${PREFIX}.requestsPerMinute.address`,
  default: 10,
  min: 1,
  doc: 'Most set-ups and failed log-ins of DAV clients from one address in a minute; more get 429.',
});

/** Attempts with one token. */
export const DAV_REQUESTS_PER_TOKEN = property<number>({
  key: `${PREFIX}.requestsPerMinute.token`,
  default: 5,
  min: 1,
  doc: 'Most attempts with one token in a minute; more get 429.',
});
