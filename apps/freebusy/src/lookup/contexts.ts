import { Injectable } from '@nestjs/common';
import { ContextErrors, type Tenant } from '@groupware/contracts';
import { Directory } from '@groupware/directory';

/** User id of the administrator, which every context has. */
const ADMIN_ID = 2;

/** Checks the existence of contexts. */
@Injectable()
export class Contexts {
  constructor(private readonly people: Directory) {}

  /** Whether the context exists. */
  async contextExists(tenant: Tenant): Promise<boolean> {
    return (await this.people.getEntities(tenant, [ADMIN_ID])).size > 0;
  }

  /** Requires a context and answers its tenant. @throws CTX-0002 for an unknown context */
  async requireTenant(contextId: number): Promise<Tenant> {
    const tenant = { contextId };
    if (!(await this.contextExists(tenant))) throw ContextErrors.notFound(contextId);
    return tenant;
  }
}
