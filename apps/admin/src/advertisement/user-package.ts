import { Injectable } from '@nestjs/common';
import {
  PACKAGE_SCHEME,
  PACKAGE_SCHEMES,
  PACKAGE_TAXONOMY_TYPES,
  type PackageScheme,
  type UserPrincipal,
} from '@groupware/contracts';
import { Properties } from '@groupware/service-kit';
import { Accounts } from '../accounts';
import { DEFAULT_PACKAGE, names, packageOf } from './domain/package-name';
import { Resellers } from './resellers';

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
    private readonly resellers: Resellers,
    private readonly accounts: Accounts,
  ) {}

  /** The package of a user with the reseller of his context. */
  async of(user: UserPrincipal): Promise<Package> {
    const reseller = await this.resellers.ofContext(user);
    const scheme = this.schemeOf(reseller);
    if (scheme === 'Global') return { reseller, name: DEFAULT_PACKAGE };
    const account = await this.accounts.find(user, { user: user.userId });
    return { reseller, name: account ? packageOf(account, scheme, this.typesOf(reseller)) : DEFAULT_PACKAGE };
  }

  private schemeOf(reseller: string): PackageScheme {
    const own = this.properties.serverText(`com.example.advertisement.${reseller}.packageScheme`);
    const known = PACKAGE_SCHEMES.find((scheme) => scheme === own);
    return known ?? (this.properties.serverValue(PACKAGE_SCHEME) as PackageScheme);
  }

  private typesOf(reseller: string): string[] {
    const own = this.properties.serverText(`com.example.advertisement.${reseller}.taxonomy.types`);
    return names(own ?? this.properties.serverValue(PACKAGE_TAXONOMY_TYPES));
  }
}
