import { Injectable } from '@nestjs/common';
import {
  PACKAGE_SCHEME,
  PACKAGE_SCHEMES,
  PACKAGE_TAXONOMY_TYPES,
  type PackageScheme,
  type Tenant,
  type UserPrincipal,
} from '@groupware/contracts';
import { Properties } from '@groupware/service-kit';
import { Accounts } from '../accounts/accounts';
import { DEFAULT_PACKAGE, parseNames, resolvePackageName } from './domain/package-name';
import { DEFAULT_RESELLER } from './resellers';

/** A package as configurations are stored for it. */
export interface Package {
  readonly reseller: string;
  readonly name: string;
}

/** Finds out what package a user has. */
@Injectable()
export class UserPackage {
  constructor(
    private readonly properties: Properties,
    private readonly accounts: Accounts,
  ) {}

  /** The package of a user with the reseller of his context. */
  async resolvePackage(user: UserPrincipal): Promise<Package> {
    const account = await this.accounts.findAccount(user, { user: user.userId });
    const reseller = account?.reseller ?? DEFAULT_RESELLER;
    const scheme = await this.resolveScheme(reseller, user);
    const isPlain = !account || scheme === 'Global';
    return {
      reseller,
      name: isPlain ? DEFAULT_PACKAGE : resolvePackageName(account, scheme, await this.resolveTypes(reseller, user)),
    };
  }

  private async resolveScheme(reseller: string, { contextId }: Tenant): Promise<PackageScheme> {
    const own = this.properties.serverText(`com.example.advertisement.${reseller}.packageScheme`);
    const known = PACKAGE_SCHEMES.find((scheme) => scheme === own);
    return known ?? ((await this.properties.get(PACKAGE_SCHEME, { contextId })) as PackageScheme);
  }

  private async resolveTypes(reseller: string, { contextId }: Tenant): Promise<string[]> {
    const own = this.properties.serverText(`com.example.advertisement.${reseller}.taxonomy.types`);
    return parseNames(own ?? (await this.properties.get(PACKAGE_TAXONOMY_TYPES, { contextId })));
  }
}
