import { Advertisements } from './advertisements';
import { CreateAdvertisement1763910000000 } from './migrations/1763910000000-create-advertisement';
import { AdvertisementRepository } from './persistence/advertisement.repository';
import { Resellers } from './resellers';
import { UserPackage } from './user-package';

/** Steps of the tables of advertisement. */
export const advertisementMigrations = [CreateAdvertisement1763910000000];

/** Providers of advertisement. */
export const advertisementProviders = [AdvertisementRepository, Resellers, UserPackage, Advertisements];
