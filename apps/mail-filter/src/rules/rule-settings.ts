import {
  FILTER_HIDDEN_ACTIONS,
  FILTER_HIDDEN_COMPARISONS,
  FILTER_HIDDEN_TESTS,
  FILTER_REDIRECT_WHITELIST,
  FILTER_VACATION_DOMAINS,
  filterHiddenComparisonsOf,
  type UserPrincipal,
} from '@groupware/contracts';
import { Properties } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { OFFERED_TESTS, type Hidden } from '../domain/filter-config';
import type { RuleSettings } from '../domain/rule-form';

const split = (value: string): readonly string[] =>
  value
    .split(',')
    .map((each) => each.trim().toLowerCase())
    .filter(Boolean);

/** Settings of the operator for rules, as the configuration has them. */
@Injectable()
export class RuleSettingsReader {
  constructor(private readonly properties: Properties) {}

  async readSettings(principal: UserPrincipal): Promise<RuleSettings> {
    const [redirectWhitelist, vacationDomains] = await Promise.all(
      [FILTER_REDIRECT_WHITELIST, FILTER_VACATION_DOMAINS].map((each) => this.readList(each, principal)),
    );
    return { redirectWhitelist: redirectWhitelist!, vacationDomains: vacationDomains! };
  }

  async readHidden(principal: UserPrincipal): Promise<Hidden> {
    const [tests, actions, comparisons] = await Promise.all(
      [FILTER_HIDDEN_TESTS, FILTER_HIDDEN_ACTIONS, FILTER_HIDDEN_COMPARISONS].map((each) =>
        this.readList(each, principal),
      ),
    );
    const comparisonsOf = await Promise.all(
      OFFERED_TESTS.map(async (id) => {
        const list = await this.readList(filterHiddenComparisonsOf(id), principal);
        return [id.toLowerCase(), list] as const;
      }),
    );
    return {
      tests: tests!,
      actions: actions!,
      comparisons: comparisons!,
      comparisonsOf: Object.fromEntries(comparisonsOf),
    };
  }

  private async readList(property: typeof FILTER_HIDDEN_TESTS, principal: UserPrincipal): Promise<readonly string[]> {
    return split(await this.properties.get(property, principal));
  }
}
