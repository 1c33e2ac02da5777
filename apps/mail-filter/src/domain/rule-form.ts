import { MailFilterErrors, type MailFilterPart } from '@groupware/contracts';
import { list, tag, type ScriptRule, type SieveCommand, type SieveTest } from '@groupware/sieve';
import { readAction, toSieveCommand, type ActionRules } from './rule-actions';
import { readTest, toSieveTest, type Generation } from './rule-tests';
import { readArguments, stringsOf, Unreadable } from './sieve-arguments';

/** Settings of the operator for rules. */
export interface RuleSettings extends ActionRules {
  /** Domains of senders who get vacation notices; empty: all. */
  readonly vacationDomains: readonly string[];
  /** Undefined: the server does not tell. */
  readonly maxRedirects?: number;
}

/** Test and actions of a rule. */
export interface RuleContent {
  readonly test: MailFilterPart;
  readonly actioncmds: readonly MailFilterPart[];
}

/** Most actions of a rule. */
const MAX_ACTIONS = 100;

/** Reads the content of a rule. @throws Unreadable with the reason why it cannot be edited */
export function readRule(
  { commands, problem }: ScriptRule,
  generation: Generation,
  settings: RuleSettings,
): RuleContent {
  if (!commands) throw new Unreadable(problem ?? 'it cannot be read');
  const { test, actions } = splitRule(commands);
  const actioncmds = actions.map((action) => readAction(action, generation));
  const isVacation = actioncmds.some(({ id }) => id === 'vacation');
  const shown = isVacation && settings.vacationDomains.length > 0 ? withoutDomains(test) : test;
  return { test: shown ? readTest(shown, generation) : { id: 'true' }, actioncmds };
}

/** One condition and its actions. @throws Unreadable for what is more than that */
function splitRule(commands: readonly SieveCommand[]): {
  readonly test?: SieveTest;
  readonly actions: readonly SieveCommand[];
} {
  const [first, ...others] = commands;
  if (first?.name !== 'if') return { actions: commands };
  if (others.length > 0) throw new Unreadable('it has several branches');
  const [test, ...more] = first.tests;
  if (!test || more.length > 0 || first.arguments.length > 0 || !first.block)
    throw new Unreadable('it has no condition');
  if (first.block.some(({ block }) => block)) throw new Unreadable('it holds conditions within its block');
  return { test, actions: first.block };
}

/** Commands of a rule. @throws MAIL_FILTER-0025 and what tests and actions throw */
export function toCommands(
  test: unknown,
  actioncmds: unknown,
  generation: Generation,
  settings: RuleSettings,
): readonly SieveCommand[] {
  if (test === undefined || test === null) throw MailFilterErrors.missingParameter('test');
  if (actioncmds === undefined || actioncmds === null) throw MailFilterErrors.missingParameter('actioncmds');
  if (!Array.isArray(actioncmds)) throw MailFilterErrors.badJson('actioncmds is no list');
  if (actioncmds.length === 0 || actioncmds.length > MAX_ACTIONS)
    throw MailFilterErrors.badRule('it has no actions, or too many');
  const actions = actioncmds.map((each) => toSieveCommand(each, settings));
  const { maxRedirects = Infinity, vacationDomains } = settings;
  if (actions.filter(({ name }) => name === 'redirect').length > maxRedirects)
    throw MailFilterErrors.tooManyRedirects(maxRedirects);
  const condition = toSieveTest(test, generation);
  const isVacation = vacationDomains.length > 0 && actions.some(({ name }) => name === 'vacation');
  const tests = [isVacation ? withDomains(condition, vacationDomains) : condition];
  return [{ name: 'if', arguments: [], tests, block: actions }];
}

const withDomains = (test: SieveTest, domains: readonly string[]): SieveTest => ({
  name: 'allof',
  arguments: [],
  tests: [{ name: 'address', arguments: [tag('is'), tag('domain'), list(['From']), list(domains)], tests: [] }, test],
});

/** The test that {@link withDomains} was given; the test itself when it was given none. */
function withoutDomains(test: SieveTest | undefined): SieveTest | undefined {
  const [domains, rest, ...more] = test?.name === 'allof' ? test.tests : [];
  if (!domains || !rest || more.length > 0 || domains.name !== 'address') return test;
  const { tags, positional } = readArguments(domains, ['is', 'domain', 'contains', 'matches', 'all', 'localpart']);
  const isOurs = tags.has('is') && tags.has('domain') && stringsOf(positional[0]).join() === 'From';
  return isOurs ? rest : test;
}
