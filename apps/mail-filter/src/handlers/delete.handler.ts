import { mailFilter, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import type { FilterRules } from '../rules/filter-rules';
import { FilterService } from '../rules/filter-service';

/** `mailfilter?action=delete`: deletes a rule. */
@Handles(mailFilter.delete)
export class DeleteHandler implements Handler<typeof mailFilter.delete> {
  constructor(private readonly filters: FilterService) {}

  handle(call: CallOf<typeof mailFilter.delete>) {
    const work = (rules: FilterRules) => {
      rules.delete(call.body);
      return null;
    };
    return this.filters.change(call, 'v1', work, { needsScript: true });
  }
}
