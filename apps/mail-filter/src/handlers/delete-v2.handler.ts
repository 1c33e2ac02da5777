import { mailFilterV2, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import type { FilterRules } from '../rules/filter-rules';
import { FilterService } from '../rules/filter-service';

/** `mailfilter/v2?action=delete`: deletes a rule. */
@Handles(mailFilterV2.delete)
export class DeleteV2Handler implements Handler<typeof mailFilterV2.delete> {
  constructor(private readonly filters: FilterService) {}

  handle(call: CallOf<typeof mailFilterV2.delete>) {
    const work = (rules: FilterRules) => {
      rules.delete(call.body);
      return null;
    };
    return this.filters.change(call, 'v2', work, { needsScript: true });
  }
}
