import { CreateShares1763925000000 } from './migrations/1763925000000-create-shares';
import { NoteGuests1764300000000 } from './migrations/1764300000000-note-guests';
import { IdentityClient } from './identity-client';
import { DocumentShares } from './document-shares';
import { FolderShares } from './folder-shares';
import { LiaisonWriter } from './liaison-writer';
import { LiaisonRepository } from './persistence/liaison.repository';
import { ShareRepository } from './persistence/share.repository';
import { PurgeRetries } from './purge-retries';
import { Purges } from './purges';
import { ShareWriter } from './share-writer';
import { Revokers } from './revokers';

/** Steps of the tables of shares. */
export const crossContextMigrations = [CreateShares1763925000000, NoteGuests1764300000000];

/** Providers of shares between contexts. */
export const crossContextProviders = [
  IdentityClient,
  DocumentShares,
  FolderShares,
  ShareRepository,
  ShareWriter,
  LiaisonRepository,
  LiaisonWriter,
  Revokers,
  Purges,
  PurgeRetries,
];
