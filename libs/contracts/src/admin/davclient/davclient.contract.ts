import { RequestErrors } from '../../edge/edge.errors';
import { allowCallers, defineModule, Field, plain, rest } from '../../kit';
import { DavClientErrors } from './davclient.errors';

/** Place `{token}`. */
export class DavClientPath {
  @Field.text({ doc: 'One-time token; ignored where credentials are sent', maxLength: 512 }) token!: string;
}

/** Credentials of a client. */
export class DavClientAuth {
  @Field.text({ doc: 'Login name' }) username!: string;
  @Field.text({ doc: 'Application password, good for CalDAV and CardDAV' }) password!: string;
}

/** How a client looks. */
export class DavClientCustomization {
  @Field.text({ doc: 'Name of the product', optional: true }) productName?: string;
  @Field.text({ doc: 'Description', optional: true }) description?: string;
  @Field.text({ doc: 'https: address or data:image/…', optional: true, maxLength: 400_000 }) logoImage?: string;
  @Field.text({ doc: 'https: address or data:image/…', optional: true, maxLength: 400_000 }) headerImage?: string;
}

/** Link to help, and its texts. */
export class DavClientSupport {
  @Field.text({ doc: 'Address', optional: true }) linkDestination?: string;
  @Field.text({ doc: 'Title of the link', optional: true }) linkTitle?: string;
  @Field.text({ doc: 'What is said of it', optional: true }) description?: string;
}

/** Configuration of a DAV client. With credentials only customization and supportInfos are answered. */
export class DavClientConfigResponse {
  @Field.text({ doc: 'Address of the server', optional: true }) baseRoot?: string;
  @Field.text({ doc: 'Address of CalDAV', optional: true }) caldavRoot?: string;
  @Field.text({ doc: 'Address of CardDAV', optional: true }) carddavRoot?: string;
  @Field.object(() => DavClientAuth, { doc: 'What to log in with', optional: true }) basicAuth?: DavClientAuth;
  @Field.object(() => DavClientCustomization, { doc: 'Looks; empty values are left out' })
  customization!: DavClientCustomization;
  @Field.object(() => DavClientSupport, { doc: 'Help; empty values are left out' }) supportInfos!: DavClientSupport;
}

/** Set-up of DAV clients. */
export const davClient = defineModule(
  'davclient',
  {
    getDavClientConfig: rest<DavClientPath, undefined, DavClientConfigResponse>({
      access: allowCallers('who has the one-time token gets the settings it was made for'),
      callers: ['anybody'],
      listener: 'public',
      edge: true,
      credentials: true,
      errorTextOnly: true,
      http: 'GET',
      path: '/davclient/v1/config/{token}',
      params: DavClientPath,
      doc: 'Without credentials: takes a one-time token and answers the whole configuration with a new application password. With Basic credentials of a user: customization and supportInfos alone, with an ETag (304 for If-None-Match); the token is ignored. Errors are `{error}`',
      reply: plain<DavClientConfigResponse>(DavClientConfigResponse),
      repeatable: false,
      idempotency: 'none',
      errors: [
        DavClientErrors.invalidToken,
        DavClientErrors.invalidCredentials,
        DavClientErrors.unavailable,
        RequestErrors.tooManyRequests,
      ],
    }),
  },
  { service: 'admin' },
);
