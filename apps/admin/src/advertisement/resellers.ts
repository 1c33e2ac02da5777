import { Injectable } from '@nestjs/common';
import { RESELLER_OF_CONTEXT, RESELLERS, type Tenant } from '@groupware/contracts';
import { Properties } from '@groupware/service-kit';
import { names } from './domain/package-name';

/** The reseller of contexts that belong to nobody else. */
export const DEFAULT_RESELLER = 'default';

/** Which resellers there are and whose contexts are whose. */
@Injectable()
export class Resellers {
  constructor(private readonly properties: Properties) {}

  /** True for a reseller that is known. */
  async exists(name: string): Promise<boolean> {
    return name === DEFAULT_RESELLER || names(this.properties.serverValue(RESELLERS)).includes(name);
  }

  /** Name of the reseller of a context. */
  async ofContext({ contextId }: Tenant): Promise<string> {
    return (await this.properties.get(RESELLER_OF_CONTEXT, { contextId })) || DEFAULT_RESELLER;
  }
}
