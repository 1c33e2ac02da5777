import type { DirectoryContact, DirectoryUser, SharedAccount } from '@groupware/contracts';
import { toContactFacts } from '@groupware/directory';

/** One grant, as far as an account is made of it. */
export interface Grant {
  readonly type: string;
  readonly module: string;
  readonly from: number;
  readonly owner: number;
  readonly folder: string | null;
  readonly name: string | null;
  readonly permissions: number;
  readonly defaultFolder: boolean;
  readonly sendOnBehalf: boolean;
}

/** An account id taken apart. */
export interface AccountId {
  readonly user: number;
  readonly context: number;
}

const MAX_ID = 2 ** 31 - 1;

/** Reads `<user id>@<context id>`; undefined for anything else. */
export function parseAccountId(text: string): AccountId | undefined {
  const match = /^([1-9]\d{0,9})@([1-9]\d{0,9})$/.exec(text);
  if (!match) return undefined;
  const [user, context] = [Number(match[1]), Number(match[2])];
  return user <= MAX_ID && context <= MAX_ID ? { user, context } : undefined;
}

/** The id of an account. */
export const formatAccountId = ({ user, context }: AccountId): string => `${user}@${context}`;

/** Converts grants to the configuration of a module. */
function toConfiguration(module: string, grants: readonly Grant[], owner: DirectoryUser): object {
  const folders = new Map<string, { id: string; name: string; permissions: number }>();
  for (const { folder, name, permissions } of grants) {
    if (folder === null) continue;
    const known = folders.get(folder);
    // Own rights and those of groups add up.
    folders.set(folder, { id: folder, name: name ?? folder, permissions: (known?.permissions ?? 0) | permissions });
  }
  const common = {
    permissions: grants.reduce((all, { permissions }) => all | permissions, 0),
    folders: [...folders.values()],
  };
  if (module === 'mail')
    return {
      ...common,
      primaryAddress: owner.email,
      login: owner.name,
      sendOnBehalf: grants.some(({ sendOnBehalf }) => sendOnBehalf),
    };
  const standard = grants.find(({ defaultFolder }) => defaultFolder)?.folder;
  return module === 'calendar' && standard ? { ...common, defaultFolder: standard } : common;
}

/** For whom an account is told, and who has it. */
export interface AccountAbout {
  /** The context of the user who acts. */
  readonly inContext: number;
  readonly contact?: DirectoryContact;
  /** Base of the addresses of this server. */
  readonly basePath?: string;
}

/** An account made of the grants of one owner. */
export function toAccountView(owner: DirectoryUser, grants: readonly Grant[], about: AccountAbout): SharedAccount {
  const { inContext } = about;
  const { from } = grants[0]!;
  const identifier = formatAccountId({ user: owner.id, context: from });
  const modules = [...new Set(grants.map(({ module }) => module))].sort();
  const onBehalf = grants.some(({ sendOnBehalf }) => sendOnBehalf);
  return {
    accountId: identifier,
    entityInfo: {
      identifier,
      type: 'user',
      display_name: owner.displayName,
      ...(from === inContext ? { entity: owner.id } : {}),
      contact: toContactFacts(owner, about.contact, from === inContext ? (about.basePath ?? '') : undefined),
    },
    capabilities: [...modules, ...(onBehalf ? ['send_on_behalf'] : [])].sort(),
    moduleConfigurations: Object.fromEntries(
      modules.map((module) => [
        module,
        toConfiguration(
          module,
          grants.filter((grant) => grant.module === module),
          owner,
        ),
      ]),
    ),
  };
}
