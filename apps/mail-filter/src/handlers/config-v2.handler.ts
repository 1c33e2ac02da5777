import { FILTER_NESTED_TESTS, mailFilterV2, type CallOf, type Handler } from '@groupware/contracts';
import { Handles, Properties } from '@groupware/service-kit';
import { toConfigV2 } from '../domain/filter-config';
import { CAPABILITY_OF } from '../rules/filter-service';
import { RuleSettingsReader } from '../rules/rule-settings';
import { FilterScripts } from '../scripts/filter-scripts';

/** `mailfilter/v2?action=config`: what the server announces and the operator does not hide. */
@Handles(mailFilterV2.config)
export class ConfigV2Handler implements Handler<typeof mailFilterV2.config> {
  constructor(
    private readonly scripts: FilterScripts,
    private readonly settings: RuleSettingsReader,
    private readonly properties: Properties,
  ) {}

  async handle(call: CallOf<typeof mailFilterV2.config>) {
    const [hidden, allowNestedTests] = await Promise.all([
      this.settings.readHidden(call.principal),
      this.properties.get(FILTER_NESTED_TESTS, call.principal),
    ]);
    return this.scripts.ask(call, CAPABILITY_OF.v2, async (session) =>
      toConfigV2(await session.readCapabilities(), hidden, allowNestedTests),
    );
  }
}
