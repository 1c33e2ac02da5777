import { Injectable } from '@nestjs/common';
import { directory, type DirectoryAccount, type DirectoryAccountQuery, type Tenant } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';

/** Taxonomy of users and contexts, from the identity service. */
@Injectable()
export class Accounts {
  constructor(private readonly caller: Caller) {}

  /** The account of a user, by id or login name; undefined for an unknown user or context. */
  async findAccount({ contextId }: Tenant, query: DirectoryAccountQuery): Promise<DirectoryAccount | undefined> {
    const account = await this.caller.call(directory.account, {
      principal: { kind: 'internal', service: 'admin', contextId },
      query,
    });
    return account ?? undefined;
  }
}
