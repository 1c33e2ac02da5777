import { mailFilter, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { toConfig } from '../domain/filter-config';
import { FilterService } from '../rules/filter-service';

/** `mailfilter?action=config`: what the server announces, in the words of the first generation. */
@Handles(mailFilter.config)
export class ConfigHandler implements Handler<typeof mailFilter.config> {
  constructor(private readonly filters: FilterService) {}

  handle(call: CallOf<typeof mailFilter.config>) {
    return this.filters.readOffer(call, 'v1', toConfig);
  }
}
