import { mailFilter, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { FilterService } from '../rules/filter-service';

/** `mailfilter?action=getscript`: the text of the script. */
@Handles(mailFilter.getscript)
export class GetscriptHandler implements Handler<typeof mailFilter.getscript> {
  constructor(private readonly filters: FilterService) {}

  handle(call: CallOf<typeof mailFilter.getscript>) {
    return this.filters.readText(call, 'v1');
  }
}
