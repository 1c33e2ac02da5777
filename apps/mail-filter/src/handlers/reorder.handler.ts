import { mailFilter, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { FilterService } from '../rules/filter-service';

/** `mailfilter?action=reorder`: puts rules first. */
@Handles(mailFilter.reorder)
export class ReorderHandler implements Handler<typeof mailFilter.reorder> {
  constructor(private readonly filters: FilterService) {}

  handle(call: CallOf<typeof mailFilter.reorder>) {
    return this.filters.change(call, 'v1', (rules) => {
      rules.reorder(call.body);
      return null;
    });
  }
}
