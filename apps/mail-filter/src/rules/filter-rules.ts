import {
  MailFilterErrors,
  type ForeignMailFilterRule,
  type MailFilterPart,
  type MailFilterRule,
  type UserPrincipal,
} from '@groupware/contracts';
import type { SieveCapabilities } from '@groupware/mail-access';
import {
  changeCommands,
  changeMark,
  extensionsOf,
  makeRule,
  readScript,
  writeScript,
  type ScriptRule,
  type SieveCommand,
  type SieveScript,
} from '@groupware/sieve';
import { hasExtension, type Hidden } from '../domain/filter-config';
import { readRule, toCommands, type RuleSettings } from '../domain/rule-form';
import type { Generation } from '../domain/rule-tests';
import { requireFields, requireLine, type Fields } from '../domain/rule-values';
import { Unreadable } from '../domain/sieve-arguments';

/** Most rules of a user: servers have no limit of their own. */
const MAX_RULES = 1_000;
const MAX_NAME = 4_000;
/** Flags of rules that are lists of their own. */
const CATEGORIES: readonly string[] = ['category', 'syscategory'];
const LISTED_FLAGS: readonly string[] = ['vacation', 'autoforward', 'antispam', ...CATEGORIES];

const isOfCategory = ({ flags }: ScriptRule): boolean => flags.some((flag) => CATEGORIES.includes(flag));
const isVacationRule = (rule: ScriptRule): boolean =>
  rule.flags.includes('vacation') && startsWithVacation(rule.commands);
const startsWithVacation = (commands: readonly SieveCommand[] | undefined): boolean => {
  const [first] = commands ?? [];
  return (first?.name === 'if' ? first.block?.[0] : first)?.name === 'vacation';
};

/** On whose behalf, and by which rules, a script is changed. */
export interface FilterRulesOptions {
  readonly principal: UserPrincipal;
  readonly generation: Generation;
  readonly settings: RuleSettings;
  readonly hidden?: Hidden;
}

/** The rules of a script, in the form of the API. Changes are made in memory; {@link FilterRules.write} gives the new text. */
export class FilterRules {
  private script: SieveScript;

  constructor(
    text: string,
    private readonly options: FilterRulesOptions,
  ) {
    this.script = readScript(text);
  }

  /** @param flag as the call has it @throws MAIL_FILTER-0026 */
  list(flag = 'all'): readonly (MailFilterRule | ForeignMailFilterRule)[] {
    const wanted = this.filterOf(flag.toLowerCase());
    return this.script.rules.flatMap((rule, position) => (wanted(rule) ? [this.toForm(rule, position)] : []));
  }

  /** Adds a rule; answers its id. @throws what is wrong with it */
  add(body: unknown, server: SieveCapabilities): number {
    const fields = requireFields(body, 'the rule');
    const { rules } = this.script;
    if (rules.length >= MAX_RULES) throw MailFilterErrors.badRule(`there are ${rules.length} rules already`);
    const commands = this.commandsOf(fields.test, fields.actioncmds, server);
    const rule = makeRule(
      {
        id: Math.max(-1, ...rules.map(({ id }) => id)) + 1,
        name: nameOf(fields.rulename) ?? '',
        flags: flagsOf(fields.flags) ?? [],
        isActive: activeOf(fields.active) ?? true,
      },
      commands,
    );
    if (isVacationRule(rule) && rules.some(isVacationRule)) throw MailFilterErrors.secondVacation();
    const position = positionOf(fields.position, rules.length, rules.length) ?? rules.length;
    this.replace([...rules.slice(0, position), rule, ...rules.slice(position)]);
    return rule.id;
  }

  /** Changes a rule. @throws MAIL_FILTER-0001, 0008, 0009 and what is wrong with it */
  update(body: unknown, server: SieveCapabilities): void {
    const fields = requireFields(body, 'the rule');
    const { principal, generation, settings } = this.options;
    const id = idOf(fields.id);
    const { rules } = this.script;
    const old = rules.find((rule) => rule.id === id);
    if (!old) throw MailFilterErrors.ruleNotFound(id, principal.userId, principal.contextId);
    const { test, actioncmds } = fields;
    const isNew = (value: unknown) => value !== undefined && value !== null;
    let rule = old;
    if (isNew(test) || isNew(actioncmds)) {
      const content = isNew(test) && isNew(actioncmds) ? undefined : this.readOrRefuse(old, generation, settings);
      rule = changeCommands(rule, this.commandsOf(test ?? content?.test, actioncmds ?? content?.actioncmds, server));
    }
    rule = changeMark(rule, {
      name: nameOf(fields.rulename) ?? rule.name,
      flags: flagsOf(fields.flags) ?? rule.flags,
      isActive: activeOf(fields.active) ?? rule.isActive,
    });
    if (rule.isActive && !old.isActive && rule.commands) this.requireExtensions(rule.commands, server);
    if (isVacationRule(rule) && rules.some((each) => each.id !== id && isVacationRule(each)))
      throw MailFilterErrors.secondVacation();
    const position = positionOf(fields.position, rules.length, rules.length - 1);
    if (position === undefined) return this.replace(rules.map((each) => (each.id === id ? rule : each)));
    const others = rules.filter((each) => each.id !== id);
    this.replace([...others.slice(0, position), rule, ...others.slice(position)]);
  }

  /** Deletes a rule. @throws MAIL_FILTER-0001, 0009, 0007 */
  delete(body: unknown): void {
    const id = idOf(requireFields(body, 'the body').id);
    const { rules } = this.script;
    if (!rules.some((rule) => rule.id === id)) throw MailFilterErrors.badPosition(id);
    this.replace(rules.filter((rule) => rule.id !== id));
  }

  /** Puts rules first; those of categories stay before them. @throws MAIL_FILTER-0028, 0003 */
  reorder(body: unknown): void {
    if (!Array.isArray(body)) throw MailFilterErrors.badJson('the body is no list');
    const { principal } = this.options;
    const { rules } = this.script;
    if (body.length > rules.length)
      throw MailFilterErrors.tooManyIds(body.length, rules.length, principal.userId, principal.contextId);
    const places = new Map<unknown, number>();
    for (const each of body) {
      const id = typeof each === 'string' && /^\d{1,9}$/.test(each) ? Number(each) : each;
      if (!places.has(id)) places.set(id, places.size);
    }
    const rank = (rule: ScriptRule) => (isOfCategory(rule) ? -1 : (places.get(rule.id) ?? rules.length));
    this.replace([...rules].sort((one, other) => rank(one) - rank(other)));
  }

  /** The text of the script with all changes. @param server whose names of extensions are used */
  write(server: SieveCapabilities): string {
    const { rules, required } = this.script;
    const needed = new Set<string>();
    let keepsOld = false;
    for (const rule of rules) {
      const found = rule.commands && extensionsOf(rule.commands);
      if (!found) keepsOld = true;
      else if (rule.isActive) for (const extension of found) needed.add(nameAt(server, extension));
    }
    // Extensions that change what strings mean, whatever commands there are.
    for (const extension of ['variables', 'encoded-character'])
      if (required.includes(extension) && rules.some(({ text }) => text.includes('${'))) needed.add(extension);
    if (keepsOld) for (const extension of required) needed.add(extension);
    return writeScript(this.script, [...needed]);
  }

  private replace(rules: readonly ScriptRule[]): void {
    this.script = { ...this.script, rules };
  }

  private filterOf(flag: string): (rule: ScriptRule) => boolean {
    if (flag === 'all') return (rule) => !isOfCategory(rule);
    if (flag === 'custom') return ({ flags }) => flags.length === 0;
    if (!LISTED_FLAGS.includes(flag)) throw MailFilterErrors.badFlag(flag);
    return ({ flags }) => flags.includes(flag);
  }

  private toForm(rule: ScriptRule, position: number): MailFilterRule | ForeignMailFilterRule {
    const { generation, settings } = this.options;
    const { id, name, isActive, flags } = rule;
    try {
      return { id, position, rulename: name, active: isActive, flags, ...readRule(rule, generation, settings) };
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      return { id, position, text: rule.text, errormsg: error.message };
    }
  }

  private readOrRefuse(rule: ScriptRule, generation: Generation, settings: RuleSettings) {
    try {
      return readRule(rule, generation, settings);
    } catch (error) {
      throw error instanceof Unreadable ? MailFilterErrors.badRule(error.message) : error;
    }
  }

  private commandsOf(test: unknown, actioncmds: unknown, server: SieveCapabilities): readonly SieveCommand[] {
    const { generation, settings, hidden } = this.options;
    const { maxRedirects } = server;
    const limits = maxRedirects === undefined ? settings : { ...settings, maxRedirects };
    const commands = toCommands(test, actioncmds, generation, limits);
    if (hidden) refuseHidden(requireFields(test, 'test'), actioncmds, hidden);
    this.requireExtensions(commands, server);
    return commands;
  }

  /** @throws MAIL_FILTER-0025 for a rule that the server does not understand */
  private requireExtensions(commands: readonly SieveCommand[], server: SieveCapabilities): void {
    const needed = extensionsOf(commands) ?? new Set<string>();
    for (const extension of needed)
      if (!hasExtension(server, extension))
        throw MailFilterErrors.badRule(`the mail server does not offer ${extension}`);
    const { rules, required } = this.script;
    // A rule that sets or tests variables means them, others mean what they say.
    const isMistaken = needed.has('variables')
      ? !required.includes('variables') && rules.some(({ text, commands: known }) => hasPlaceholder(text, known))
      : required.includes('variables') && hasPlaceholder(JSON.stringify(commands), commands);
    if (isMistaken) throw MailFilterErrors.badRule('${ would be taken for a variable of the script');
  }
}

/** Whether the text of a rule without variables holds what looks like one. */
const hasPlaceholder = (text: string, commands: readonly SieveCommand[] | undefined): boolean =>
  text.includes('${') && !(commands && extensionsOf(commands)?.has('variables'));

/** Name of an extension at a server. */
const nameAt = ({ extensions }: SieveCapabilities, name: string): string =>
  name === 'imap4flags' && !extensions.has(name) && extensions.has('imapflags') ? 'imapflags' : name;

/** @throws MAIL_FILTER-0025 for tests, comparisons and actions that the operator hides */
function refuseHidden(test: Fields, actions: unknown, hidden: Hidden): void {
  const refuse = (word: unknown, list: readonly string[]) => {
    if (typeof word === 'string' && list.includes(word.toLowerCase()))
      throw MailFilterErrors.badRule(`${word} is not offered`);
  };
  refuse(test.id, hidden.tests);
  const own = hidden.comparisonsOf[String(test.id).toLowerCase()] ?? [];
  refuse(test.comparison, [...hidden.comparisons, ...own]);
  if (test.test !== undefined) refuseHidden(requireFields(test.test, 'test'), [], hidden);
  if (Array.isArray(test.tests)) for (const each of test.tests) refuseHidden(requireFields(each, 'test'), [], hidden);
  for (const each of actions as readonly MailFilterPart[]) refuse(each.id, hidden.actions);
}

/** @throws MAIL_FILTER-0001, 0009 */
function idOf(value: unknown): number {
  if (value === undefined || value === null || value === '') throw MailFilterErrors.missingParameter('id');
  const id = typeof value === 'string' && /^-?\d{1,9}$/.test(value) ? Number(value) : value;
  if (typeof id !== 'number' || !Number.isSafeInteger(id)) throw MailFilterErrors.badId();
  return id;
}

/** @param count of rules, which is a position at the end, too @param last where the end is @throws MAIL_FILTER-0007, 0017 */
function positionOf(value: unknown, count: number, last: number): number | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const position = typeof value === 'string' && /^-?\d{1,9}$/.test(value) ? Number(value) : value;
  if (typeof position !== 'number' || !Number.isSafeInteger(position))
    throw MailFilterErrors.badNumber(typeof value === 'object' ? 'position' : value);
  if (position === -1) return last;
  if (position < 0 || position > count) throw MailFilterErrors.badPosition(position);
  return Math.min(position, last);
}

/** @throws MAIL_FILTER-0025 */
function nameOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const name = requireLine(value, 'rulename');
  if (name.length > MAX_NAME || /[\u2028\u2029]/.test(name))
    throw MailFilterErrors.badRule('rulename is too long or has line breaks');
  return name.trim();
}

/** @throws MAIL_FILTER-0025 */
function flagsOf(value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw MailFilterErrors.badRule('flags is no list');
  return value.map((flag) => {
    if (typeof flag !== 'string' || !/^[A-Za-z0-9]{1,100}$/.test(flag))
      throw MailFilterErrors.badRule('flags have letters and digits only');
    return flag;
  });
}

/** @throws MAIL_FILTER-0025 */
function activeOf(value: unknown): boolean | undefined {
  if (value === undefined || value === null) return undefined;
  if (value === 'true' || value === 'false') return value === 'true';
  if (typeof value !== 'boolean') throw MailFilterErrors.badRule('active is neither true nor false');
  return value;
}
