import {
  CatalogueError,
  localText,
  OWN_FILE_ACCOUNT,
  QUOTA_MODULES,
  QuotaErrors,
  quotaOverview,
  quotaOwners,
  reply,
  RequestErrors,
  type CallOf,
  type Handler,
  type ModuleQuota,
  type QuotaAccount,
  type QuotaModule,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Clock, Handles } from '@groupware/service-kit';
import { SettingsConfig } from '../configuration/settings.config';

type Call = CallOf<typeof quotaOverview.get>;

/** `quota?action=get`: asks every module with limits, side by side. */
@Handles(quotaOverview.get)
export class QuotaGetHandler implements Handler<typeof quotaOverview.get> {
  constructor(
    private readonly caller: Caller,
    private readonly clock: Clock,
    private readonly config: SettingsConfig,
  ) {}

  async handle(call: Call) {
    const { module, account } = call.query;
    if (module !== undefined) return this.getOne(call, module, account);
    if (account !== undefined) throw RequestErrors.missingParameter('module');
    const warnings: CatalogueError[] = [];
    const found = await Promise.all(
      [...quotaOwners().keys()].map(async (each) => {
        try {
          return [each, await this.listAccounts(call, each)] as const;
        } catch (error) {
          if (!(error instanceof CatalogueError)) throw error;
          warnings.push(error);
          return [each, []] as const;
        }
      }),
    );
    const modules = found
      .filter(([, accounts]) => accounts.length > 0)
      .map(([each, accounts]): [string, ModuleQuota] => [
        each,
        { display_name: localText(`quota.${each}`, call.principal.locale), accounts },
      ]);
    return reply<Readonly<Record<string, ModuleQuota>>>(Object.fromEntries(modules), { warnings });
  }

  private async getOne(call: Call, module: string, account?: string): Promise<readonly QuotaAccount[] | QuotaAccount> {
    const known = QUOTA_MODULES.find((each) => each === module);
    const accounts = known && quotaOwners().has(known) ? await this.listAccounts(call, known) : [];
    const found = account === undefined ? accounts : accounts.find(({ account_id }) => account_id === account);
    if (!found || accounts.length === 0) throw QuotaErrors.unknownAccount(account ?? '', module);
    return found;
  }

  /** The accounts of a module; that of the own storage with the number of its documents, where their owner tells it. */
  private async listAccounts(call: Call, module: QuotaModule): Promise<readonly QuotaAccount[]> {
    if (module !== 'filestorage' || !quotaOwners().has('infostore')) return this.askOwner(call, module);
    const [accounts, counted] = await Promise.all([
      this.askOwner(call, module),
      this.askOwner(call, 'infostore').catch((error: unknown): readonly QuotaAccount[] => {
        if (error instanceof CatalogueError) return [];
        throw error;
      }),
    ]);
    const { countquota, countuse } = counted[0] ?? {};
    if (countuse === undefined) return accounts;
    return accounts.map((account) =>
      account.account_id === OWN_FILE_ACCOUNT ? { ...account, countquota, countuse } : account,
    );
  }

  private async askOwner(call: Call, module: QuotaModule): Promise<readonly QuotaAccount[]> {
    const { principal, deadline, requestId, signal } = call;
    const accounts = await this.caller.call(quotaOwners().get(module)!.usage, {
      principal: { kind: 'internal', service: 'settings', contextId: principal.contextId, user: principal },
      deadline: Math.min(deadline, this.clock.now() + this.config.ownerTimeoutMs),
      requestId,
      signal,
      query: { module },
    });
    const name = localText(`quota.${module}`, principal.locale);
    return accounts.map(({ account_id, account_name, ...numbers }) => ({
      account_id,
      account_name: account_name ?? name,
      ...numbers,
    }));
  }
}
