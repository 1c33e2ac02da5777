import type { DirectoryUser, SharedAccount } from '@groupware/contracts';

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
export const accountIdOf = ({ user, context }: AccountId): string => `${user}@${context}`;

/** What a module is told of its grants. */
function configurationOf(module: string, grants: readonly Grant[], owner: DirectoryUser): object {
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

/** An account made of the grants of one owner. `inContext`: the context of the user who acts. */
export function accountView(owner: DirectoryUser, grants: readonly Grant[], inContext: number): SharedAccount {
  const { from } = grants[0]!;
  const identifier = accountIdOf({ user: owner.id, context: from });
  const modules = [...new Set(grants.map(({ module }) => module))].sort();
  const onBehalf = grants.some(({ sendOnBehalf }) => sendOnBehalf);
  return {
    accountId: identifier,
    entityInfo: {
      identifier,
      type: 'user',
      display_name: owner.displayName,
      ...(from === inContext ? { entity: owner.id } : {}),
      contact: { email1: owner.email },
    },
    capabilities: [...modules, ...(onBehalf ? ['send_on_behalf'] : [])].sort(),
    moduleConfigurations: Object.fromEntries(
      modules.map((module) => [
        module,
        configurationOf(
          module,
          grants.filter((grant) => grant.module === module),
          owner,
        ),
      ]),
    ),
  };
}
