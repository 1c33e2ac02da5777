import { Field } from '../kit';
import { Job } from './provisioning.models';

/** Name of a shard or of a file of settings that leads to it. */
export const SHARD_NAME = /^[a-z][a-z0-9_-]{0,62}$/;
/** Name of a set of flags. */
export const COMBINATION_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Data of a file store that a creation and a change have in common. */
export class FilestoreDetails {
  @Field.number({ doc: 'Size in MB that may be used, -1 without limit', optional: true, min: -1 }) sizeMb?: number;
  @Field.int({ doc: 'Most contexts, -1 without limit', optional: true, min: -1 }) maxContexts?: number;
}

/** A new file store. */
export class FilestoreCreation extends FilestoreDetails {
  @Field.text({
    doc: 'file:///folder or s3://key:secret@bucket/prefix?…; key and secret are sealed and never answered',
    maxLength: 1024,
  })
  uri!: string;
}

/** Changes of a file store; what is absent stays. */
export class FilestoreChange extends FilestoreDetails {
  @Field.text({
    doc: 'New address of the same store, whose bytes the operator moved; without credentials they stay',
    optional: true,
    maxLength: 1024,
  })
  uri?: string;
}

/** A file store with what is in it. */
export class Filestore {
  @Field.int({ doc: 'Id; 1 is the store of the setting FILESTORE_URL' }) id!: number;
  @Field.text({ doc: 'Address without credentials; empty for the store of the setting FILESTORE_URL' }) uri!: string;
  @Field.number({ doc: 'Size in MB that may be used, -1 without limit' }) sizeMb!: number;
  @Field.int({ doc: 'Most contexts, -1 without limit' }) maxContexts!: number;
  @Field.int({ doc: 'Contexts that store there' }) contexts!: number;
  @Field.number({ doc: 'Files in MB' }) usedMb!: number;
}

/** Data of a shard that a creation and a change have in common. */
export class SchemaDetails {
  @Field.int({ doc: 'Most contexts, -1 without limit', optional: true, min: -1 }) maxContexts?: number;
  @Field.text({ doc: 'closed: takes no further contexts', optional: true, values: ['open', 'closed'] }) state?: string;
}

/** A new shard. */
export class SchemaCreation extends SchemaDetails {
  @Field.text({ doc: 'Name', pattern: SHARD_NAME }) schema!: string;
  @Field.text({ doc: 'Name of its address in the setting DATABASE_URLS of every process', pattern: SHARD_NAME })
  dsnRef!: string;
}

/** Changes of a shard; what is absent stays. */
export class SchemaChange extends SchemaDetails {}

/** A shard: a database that holds the data of some contexts. */
export class Schema {
  @Field.text({ doc: 'Name' }) schema!: string;
  @Field.text({ doc: 'Name of its address in the setting DATABASE_URLS; empty for the default shard' }) dsnRef!: string;
  @Field.int({ doc: 'Most contexts, -1 without limit' }) maxContexts!: number;
  @Field.int({ doc: 'Contexts that live there' }) contexts!: number;
  @Field.text({ doc: 'State', values: ['open', 'closed'] }) state!: string;
}

/** Flags of a named set. */
export class AccessCombinationFlags {
  @Field.listOf('text', { doc: 'Flags that are on', maxItems: 100 }) flags!: string[];
}

/** A named set of flags. */
export class AccessCombination extends AccessCombinationFlags {
  @Field.text({ doc: 'Name' }) name!: string;
  @Field.boolean({ doc: 'Whether the product brings it; those cannot be changed' }) builtIn!: boolean;
}

/** A number of things. */
export class Count {
  @Field.int({ doc: 'How many' }) count!: number;
}

/** Empty contexts to be made. */
export class PreAssemblyRequest {
  @Field.text({ doc: 'Shard', pattern: SHARD_NAME }) schema!: string;
  @Field.int({ doc: 'How many', min: 1, max: 1000 }) number!: number;
  @Field.int({ name: 'filestore_id', doc: 'File store; default: chosen when the context is claimed', optional: true })
  filestoreId?: number;
}

/** A context that could not be made. */
export class PreAssemblyFailure {
  @Field.text({ doc: 'What went wrong' }) message!: string;
  @Field.text({ doc: 'Error code' }) code!: string;
  @Field.int({ doc: 'Context id', optional: true }) contextId?: number;
}

/** Empty contexts that were made. */
export class PreAssemblyResponse {
  @Field.listOf('int', { doc: 'Ids of the contexts' }) contextIds!: number[];
  @Field.list(() => PreAssemblyFailure, { doc: 'Contexts that could not be made', optional: true })
  errors?: PreAssemblyFailure[];
}

/** File stores. */
export class FilestorePage {
  @Field.list(() => Filestore, { doc: 'File stores' }) items!: Filestore[];
  @Field.text({ doc: 'Value of after for the next page', optional: true }) next?: string;
}
/** Shards. */
export class SchemaPage {
  @Field.list(() => Schema, { doc: 'Shards, the default one first' }) items!: Schema[];
  @Field.text({ doc: 'Value of after for the next page', optional: true }) next?: string;
}
/** Named sets of flags. */
export class AccessCombinationPage {
  @Field.list(() => AccessCombination, { doc: 'Named sets of flags' }) items!: AccessCombination[];
  @Field.text({ doc: 'Value of after for the next page', optional: true }) next?: string;
}

/** One page of jobs. */
export class JobPage {
  @Field.list(() => Job, { doc: 'Jobs, the newest first' }) items!: Job[];
  @Field.text({ doc: 'Value of after for the next page', optional: true }) next?: string;
}

/** Limits of a context. */
export class Quota {
  @Field.number({ doc: 'Files in MB, -1 without limit', min: -1 }) filestoreMb!: number;
  @Field.any({ doc: 'Most objects by kind (calendar, contacts, tasks, attachments), -1 without limit', optional: true })
  items?: Record<string, number>;
}

/** Target of a move of a context. */
export class ContextMove {
  @Field.text({ doc: 'Shard', optional: true, pattern: SHARD_NAME }) schema?: string;
  @Field.int({ doc: 'File store', optional: true, min: 1 }) filestoreId?: number;
}
