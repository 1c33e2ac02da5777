import { allowCallers, defineModule, Field, internal, value } from '../kit';

/** Modules with limits, as the API names them. */
export const QUOTA_MODULES = [
  'filestorage',
  'mail',
  'calendar',
  'contact',
  'task',
  'infostore',
  'attachment',
  'share_links',
  'invite_guests',
] as const;
/** See {@link QUOTA_MODULES}. */
export type QuotaModule = (typeof QUOTA_MODULES)[number];

/** Usage and limits of one account; -1: no limit. Bytes, numbers of objects, or both. */
export class QuotaAccount {
  @Field.text({ doc: 'Id within the module; `0` where a module has only one' }) account_id!: string;
  @Field.text({ doc: 'Name for users' }) account_name!: string;
  @Field.number({ doc: 'Bytes that may be used', optional: true }) quota?: number;
  @Field.number({ doc: 'Bytes that are used', optional: true }) use?: number;
  @Field.number({ doc: 'Objects that may exist', optional: true }) countquota?: number;
  @Field.number({ doc: 'Objects that exist', optional: true }) countuse?: number;
}

/** Usage of a module that has limits, by account. */
export type QuotaUsage = Omit<QuotaAccount, 'account_name'> & { readonly account_name?: string };

/** Which limits are asked for. */
export class QuotaUsageQuery {
  @Field.text({ doc: 'Module, as the API names it', values: QUOTA_MODULES }) module!: QuotaModule;
}

const operations = {
  usage: internal({
    access: allowCallers('numbers of the own context and of the own account'),
    calledBy: ['settings'],
    doc: 'What the user and his context use of what they may use',
    query: QuotaUsageQuery,
    reply: value<readonly QuotaUsage[]>('accounts'),
    repeatable: true,
  }),
};
const declare = (service: string) => defineModule(`${service}-quota`, operations, { service });

/** The operation that every module with limits answers. */
export type QuotaOwner = ReturnType<typeof declare>;

const owners = new Map<QuotaModule, QuotaOwner>();

/** Declares that a service counts what is used of the limits of these modules: it answers `<service>-quota`. */
export function quotaOwner(service: string, modules: readonly QuotaModule[]): QuotaOwner {
  const owner = declare(service);
  for (const module of modules) owners.set(module, owner);
  return owner;
}

/** The counting operations by module, in the order of the API. */
export const quotaOwners = (): ReadonlyMap<QuotaModule, QuotaOwner> =>
  new Map(QUOTA_MODULES.flatMap((module) => (owners.has(module) ? [[module, owners.get(module)!] as const] : [])));
