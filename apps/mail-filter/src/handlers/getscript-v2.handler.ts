import { mailFilterV2, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { FilterService } from '../rules/filter-service';

/** `mailfilter/v2?action=getscript`: the text of the script. */
@Handles(mailFilterV2.getscript)
export class GetscriptV2Handler implements Handler<typeof mailFilterV2.getscript> {
  constructor(private readonly filters: FilterService) {}

  handle(call: CallOf<typeof mailFilterV2.getscript>) {
    return this.filters.readText(call, 'v2');
  }
}
