import { action, allowCallers, defineModule, value } from '../kit';

/** Data that a client must know before anybody logs in (API page "Client behaviour", 2.2). */
export interface ServerConfig {
  readonly manifests: readonly unknown[];
  readonly capabilities: readonly { readonly id: string; readonly attributes: Record<string, unknown> }[];
  /** Names of languages by locale. */
  readonly languages: Readonly<Record<string, string>>;
  readonly version: string;
  readonly serverVersion: string;
  readonly buildDate: string;
  readonly [key: string]: unknown;
}

/** Start data of the web client. */
export const manifests = defineModule(
  'apps/manifests',
  {
    config: action({
      access: allowCallers('tells everybody what a login page shows, and users what they may use'),
      http: 'GET',
      auth: 'none',
      edge: true,
      doc: 'Configuration of the server for the host of the request: branding, languages, and what the user of its session may use, which its parameter or the cookies name; without one, or with one that ended, the login page is meant',
      reply: value<ServerConfig>('object'),
    }),
    all: action({
      access: allowCallers('answers the same to everybody'),
      http: 'GET',
      auth: 'none',
      doc: 'Parts of the web client; none, as it brings its own',
      reply: value<readonly unknown[]>('array'),
    }),
  },
  { service: 'settings' },
);
