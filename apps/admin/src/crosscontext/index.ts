import { CreateShares1763925000000 } from './migrations/1763925000000-create-shares';
import { People } from './people';
import { LiaisonRepository } from './persistence/liaison.repository';
import { ShareRepository } from './persistence/share.repository';
import { PurgeRetries } from './purge-retries';
import { Purges } from './purges';
import { Retractors } from './retractors';

/** Steps of the tables of shares. */
export const crossContextMigrations = [CreateShares1763925000000];

/** What shares between contexts are made of. */
export const crossContextProviders = [People, ShareRepository, LiaisonRepository, Retractors, Purges, PurgeRetries];
