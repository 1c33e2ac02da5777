import { mailFilter, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { FilterService } from '../rules/filter-service';

/** `mailfilter?action=update`: changes what the body names of a rule. */
@Handles(mailFilter.update)
export class UpdateHandler implements Handler<typeof mailFilter.update> {
  constructor(private readonly filters: FilterService) {}

  handle(call: CallOf<typeof mailFilter.update>) {
    return this.filters.change(call, 'v1', (rules, server) => {
      rules.update(call.body, server);
      return null;
    });
  }
}
