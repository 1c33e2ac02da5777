import { directory, FILTER_PASSWORD_SOURCE, MailFilterErrors, type DirectoryEntity } from '@groupware/contracts';
import { toUserPrincipal } from '@groupware/directory';
import { Caller } from '@groupware/messaging';
import { Properties } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import type { FilterRequest } from './filter-accounts';

/** Finds whose rules a request is about. */
@Injectable()
export class RuleOwners {
  constructor(
    private readonly caller: Caller,
    private readonly properties: Properties,
  ) {}

  /** The request as the owner of the rules would make it. @throws MAIL_FILTER-0027 for rules of others, unless an administrator asks */
  async resolveOwner(request: FilterRequest): Promise<FilterRequest> {
    const { principal, query } = request;
    const { contextId, userId, login, email } = principal;
    if (!query.username || [login, email].includes(query.username)) return request;
    const refusal = MailFilterErrors.notAvailable(userId, contextId);
    // The passwords of other users are not known: without a master there is no way to their rules.
    if ((await this.properties.get(FILTER_PASSWORD_SOURCE, principal)) !== 'global') throw refusal;
    const [self] = await this.listEntities(request, [userId]);
    if (self?.kind !== 'user' || !self.isAdmin) throw refusal;
    const owner = await this.findUser(request, query.username);
    if (owner?.kind !== 'user' || !owner.enabled) throw refusal;
    return { ...request, principal: toUserPrincipal(contextId, owner), isForOther: true };
  }

  private async findUser(request: FilterRequest, name: string): Promise<DirectoryEntity | undefined> {
    if (name.includes('@')) {
      const query = { addresses: [name] };
      return (await this.caller.call(directory.byAddress, { ...asService(request), query }))[0]?.entity;
    }
    const account = await this.caller.call(directory.account, { ...asService(request), query: { name } });
    return account ? (await this.listEntities(request, [account.userId]))[0] : undefined;
  }

  private listEntities(request: FilterRequest, ids: number[]): Promise<DirectoryEntity[]> {
    return this.caller.call(directory.entities, { ...asService(request), query: { ids } });
  }
}

const asService = ({ principal, deadline, requestId, signal }: FilterRequest) => ({
  principal: { kind: 'internal', service: 'mail-filter', contextId: principal.contextId } as const,
  deadline,
  requestId,
  signal,
});
