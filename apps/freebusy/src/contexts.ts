import { Injectable } from '@nestjs/common';
import { ContextErrors, type Tenant } from '@groupware/contracts';
import { Directory } from '@groupware/directory';

/** The administrator, whom every context has. */
const ADMIN_ID = 2;

/** Tells contexts that exist from others. */
@Injectable()
export class Contexts {
  constructor(private readonly people: Directory) {}

  /** True when the context exists. */
  async exists(tenant: Tenant): Promise<boolean> {
    return (await this.people.entities(tenant, [ADMIN_ID])).size > 0;
  }

  /** The tenant of a context id. @throws CTX-0002 for an unknown context */
  async tenant(contextId: number): Promise<Tenant> {
    const tenant = { contextId };
    if (!(await this.exists(tenant))) throw ContextErrors.notFound(contextId);
    return tenant;
  }
}
