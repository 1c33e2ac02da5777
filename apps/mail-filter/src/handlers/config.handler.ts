import { mailFilter, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { toConfig } from '../domain/filter-config';
import { CAPABILITY_OF } from '../rules/filter-service';
import { FilterScripts } from '../scripts/filter-scripts';

/** `mailfilter?action=config`: what the server announces, in the words of the first generation. */
@Handles(mailFilter.config)
export class ConfigHandler implements Handler<typeof mailFilter.config> {
  constructor(private readonly scripts: FilterScripts) {}

  handle(call: CallOf<typeof mailFilter.config>) {
    return this.scripts.ask(call, CAPABILITY_OF.v1, async (session) => toConfig(await session.readCapabilities()));
  }
}
