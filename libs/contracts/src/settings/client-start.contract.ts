import { allowCallers, defineModule, Field, internal, value } from '../kit';
import type { ServerConfig } from './manifests.contract';

/** For which host. */
export class ServerConfigQuery {
  @Field.text({ doc: 'Host of the request, for its branding', maxLength: 512 }) host!: string;
}

/** The data that clients load first, asked by the service that opens sessions. */
export const clientStart = defineModule(
  'client-start',
  {
    serverConfig: internal({
      access: allowCallers('tells users what they may use themselves'),
      calledBy: ['identity'],
      doc: 'The configuration of the server for the user',
      query: ServerConfigQuery,
      reply: value<ServerConfig>('object'),
      repeatable: true,
    }),
  },
  { service: 'settings' },
);
