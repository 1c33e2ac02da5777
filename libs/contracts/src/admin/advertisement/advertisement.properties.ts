import { property } from '../../kit';

/** How packages are found, per reseller. */
export const PACKAGE_SCHEMES = ['Global', 'AccessCombinations', 'TaxonomyTypes'] as const;

/** See {@link PACKAGE_SCHEMES}. */
export type PackageScheme = (typeof PACKAGE_SCHEMES)[number];

/** The package scheme of resellers that have none of their own. */
export const PACKAGE_SCHEME = property<string>({
  key: 'com.example.advertisement.packageScheme',
  default: 'Global',
  values: [...PACKAGE_SCHEMES],
  scopes: ['context', 'server'],
  doc: "What the package of a user is for advertisement: always `default` (Global), the name of the user's module access combination (AccessCombinations), or the first of the reseller's types that the context has (TaxonomyTypes). A reseller's own: com.example.advertisement.<reseller>.packageScheme.",
});

/** Taxonomy types of resellers that have none of their own. */
export const PACKAGE_TAXONOMY_TYPES = property<string>({
  key: 'com.example.advertisement.taxonomy.types',
  default: '',
  scopes: ['context', 'server'],
  doc: "Comma list of taxonomy types that are packages, the first that a context has counts. A reseller's own: com.example.advertisement.<reseller>.taxonomy.types.",
});
