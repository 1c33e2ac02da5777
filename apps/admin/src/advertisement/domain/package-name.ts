import type { DirectoryAccount, PackageScheme } from '@groupware/contracts';

/** The package that counts where no other has a configuration. */
export const DEFAULT_PACKAGE = 'default';

/** The entries of a comma list. */
export const parseNames = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** Name of the package a user has with a reseller that finds packages by this scheme. */
export function resolvePackageName(
  account: Pick<DirectoryAccount, 'accessCombination' | 'taxonomyTypes'>,
  scheme: PackageScheme,
  types: readonly string[],
): string {
  if (scheme === 'AccessCombinations') return account.accessCombination ?? DEFAULT_PACKAGE;
  if (scheme === 'TaxonomyTypes') return types.find((type) => account.taxonomyTypes.includes(type)) ?? DEFAULT_PACKAGE;
  return DEFAULT_PACKAGE;
}
