import { FILTER_NESTED_TESTS, mailFilterV2, type CallOf, type Handler } from '@groupware/contracts';
import { Handles, Properties } from '@groupware/service-kit';
import { toConfigV2 } from '../domain/filter-config';
import { FilterService } from '../rules/filter-service';
import { RuleSettingsReader } from '../rules/rule-settings';

/** `mailfilter/v2?action=config`: what the server announces and the operator does not hide. */
@Handles(mailFilterV2.config)
export class ConfigV2Handler implements Handler<typeof mailFilterV2.config> {
  constructor(
    private readonly filters: FilterService,
    private readonly settings: RuleSettingsReader,
    private readonly properties: Properties,
  ) {}

  handle(call: CallOf<typeof mailFilterV2.config>) {
    return this.filters.readOffer(call, 'v2', async (server, owner) => {
      const [hidden, allowNestedTests] = await Promise.all([
        this.settings.readHidden(owner),
        this.properties.get(FILTER_NESTED_TESTS, owner),
      ]);
      return toConfigV2(server, hidden, allowNestedTests);
    });
  }
}
