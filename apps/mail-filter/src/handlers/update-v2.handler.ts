import { mailFilterV2, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { FilterService } from '../rules/filter-service';

/** `mailfilter/v2?action=update`: changes what the body names of a rule. */
@Handles(mailFilterV2.update)
export class UpdateV2Handler implements Handler<typeof mailFilterV2.update> {
  constructor(private readonly filters: FilterService) {}

  handle(call: CallOf<typeof mailFilterV2.update>) {
    return this.filters.change(call, 'v2', (rules, server) => {
      rules.update(call.body, server);
      return null;
    });
  }
}
