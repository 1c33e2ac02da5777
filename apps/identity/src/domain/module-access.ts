import { ProvisioningErrors } from '@groupware/contracts';

/** All module access flags. */
const ACCESS_FLAGS = [
  'calendar',
  'contacts',
  'tasks',
  'delegatetask',
  'infostore',
  'webmail',
  'ical',
  'vcard',
  'webdav',
  'syncml',
  'activesync',
  'usm',
  'readcreatesharedfolders',
  'editpublicfolders',
  'publicfoldereditable',
  'editgroup',
  'editresource',
  'editpassword',
  'collectemailaddresses',
  'multiplemailaccounts',
  'subscription',
  'globaladdressbookdisabled',
  'deniedportal',
] as const;

const BASICS = ['contacts', 'webmail', 'collectemailaddresses', 'multiplemailaccounts', 'subscription', 'editpassword'];
const PIM = [...BASICS, 'calendar', 'tasks', 'delegatetask'];
const GROUPWARE = [...PIM, 'infostore', 'readcreatesharedfolders', 'editpublicfolders'];
const PREMIUM = [...GROUPWARE, 'ical', 'vcard', 'webdav'];
const RESTRICTIONS: ReadonlySet<string> = new Set(['globaladdressbookdisabled', 'deniedportal']);

/** Sets of flags by name. */
export type Combinations = Readonly<Record<string, readonly string[]>>;

/** Built-in combinations. */
export const COMBINATIONS: Combinations = {
  webmail_plus: BASICS,
  pim_plus: PIM,
  groupware_plus: GROUPWARE,
  premium: PREMIUM,
  all: ACCESS_FLAGS.filter((flag) => !RESTRICTIONS.has(flag)),
};

/** Default combination of contexts. */
const DEFAULT_COMBINATION = 'groupware_plus';

/** Module access as it is stored: the name of the combination, while nothing departs from it, and the flags that are on. */
export interface Access {
  readonly combination: string | null;
  readonly flags: readonly string[];
}

/** Module access in a request. */
export interface AccessInput {
  readonly combination?: string | null;
  readonly flags?: Readonly<Record<string, boolean>> | null;
}

const isSameList = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && left.every((flag) => right.includes(flag));

/** Whether two accesses have one name and the same flags. */
export const isSameAccess = (left: Access, right: Access): boolean =>
  left.combination === right.combination && isSameList(left.flags, right.flags);

/**
 * Access after a request: the named combination, or what was before, with the named flags switched.
 * @throws PROV-0009 for unknown combinations and flags
 */
export function applyAccess(input: AccessInput, before: Access, combinations: Combinations = COMBINATIONS): Access {
  let { combination } = before;
  let flags = new Set(before.flags);
  if (input.combination) {
    const named = Object.hasOwn(combinations, input.combination) ? combinations[input.combination] : undefined;
    if (!named) throw ProvisioningErrors.unknownAccess(input.combination);
    combination = input.combination;
    flags = new Set(named);
  }
  const switches = input.flags ?? {};
  if (typeof switches !== 'object' || Array.isArray(switches)) throw ProvisioningErrors.unknownAccess('flags');
  for (const [flag, on] of Object.entries(switches)) {
    if (!(ACCESS_FLAGS as readonly string[]).includes(flag) || typeof on !== 'boolean')
      throw ProvisioningErrors.unknownAccess(flag);
    if (on) flags.add(flag);
    else flags.delete(flag);
  }
  const result = ACCESS_FLAGS.filter((flag) => flags.has(flag));
  const named = combination === null ? undefined : combinations[combination];
  return { combination: named && isSameList(named, result) ? combination : null, flags: result };
}

/** Validates flags and sorts them in canonical order. @throws PROV-0009 for unknown ones */
export function parseFlags(flags: readonly string[]): string[] {
  const unknown = flags.find((flag) => !(ACCESS_FLAGS as readonly string[]).includes(flag));
  if (unknown !== undefined) throw ProvisioningErrors.unknownAccess(unknown);
  return ACCESS_FLAGS.filter((flag) => flags.includes(flag));
}

/** The access of new contexts. */
export const DEFAULT_ACCESS: Access = { combination: DEFAULT_COMBINATION, flags: COMBINATIONS[DEFAULT_COMBINATION]! };

/** Refuses access of a user that the context does not have. @throws PROV-0008 */
export function requireWithin(user: Access, context: Access): void {
  const beyond = user.flags.filter((flag) => !context.flags.includes(flag) && !RESTRICTIONS.has(flag));
  if (beyond.length > 0) throw ProvisioningErrors.accessNotAllowed(beyond.join(', '));
}

/** The flags of a user that the context has, and the restrictions. */
export const reduceFlags = (flags: readonly string[], contextFlags: readonly string[]): string[] =>
  flags.filter((flag) => contextFlags.includes(flag) || RESTRICTIONS.has(flag));

/** The access of a user that takes effect: what the context does not have is out of reach, though it stays the user's own. */
export function reduceAccess(user: Access, context: Pick<Access, 'flags'>): Access {
  const flags = reduceFlags(user.flags, context.flags);
  return flags.length === user.flags.length ? user : { combination: null, flags };
}

/** Access as the REST API shows it. */
export const toAccessView = (access: Access): { combination?: string; flags: Record<string, boolean> } => ({
  ...(access.combination ? { combination: access.combination } : {}),
  flags: Object.fromEntries(ACCESS_FLAGS.map((flag) => [flag, access.flags.includes(flag)])),
});

/** A named set of flags as the REST API shows it. */
export const toCombinationView = (name: string, flags: readonly string[]) => ({
  name,
  flags: [...flags],
  builtIn: Object.hasOwn(COMBINATIONS, name),
});
