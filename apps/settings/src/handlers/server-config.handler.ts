import { clientStart, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ServerConfiguration } from '../server-configuration';

/** `serverConfig`: the configuration of the server for a user who logs in. */
@Handles(clientStart.serverConfig)
export class ServerConfigHandler implements Handler<typeof clientStart.serverConfig> {
  constructor(private readonly configuration: ServerConfiguration) {}

  handle({ principal, query }: CallOf<typeof clientStart.serverConfig>) {
    return Promise.resolve(this.configuration.build(query.host, principal.user));
  }
}
