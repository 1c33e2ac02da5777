import { defineModule, internal, value } from '../kit';

/** Where and how much a context may store. */
export interface ContextStorage {
  /** Id of the file store. */
  readonly filestoreId: number;
  /** File quota in MB, -1 without limit. */
  readonly quotaMb: number;
  /** Most objects by kind (calendar, contacts, tasks, attachments), -1 without limit; kinds that are absent have none. */
  readonly items: Readonly<Record<string, number>>;
}

/** What modules that store files ask about their context, answered by the identity service. */
export const contextStorage = defineModule(
  'context-storage',
  {
    get: internal({
      doc: 'Where and how much the context may store',
      reply: value<ContextStorage>('file store and quota'),
      repeatable: true,
    }),
  },
  { service: 'identity' },
);
