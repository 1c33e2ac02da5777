import { action, allowCallers, defineModule, Field, one, PASSWORD_SCOPE } from '../kit';

/** Space of a context. */
export class QuotaData {
  @Field.number({ doc: 'Bytes that may be used; -1: no limit' }) quota!: number;
  @Field.number({ doc: 'Bytes that are used' }) use!: number;
}

/** Usage of a context, and its limits. */
export const quota = defineModule(
  'quota',
  {
    filestore: action({
      access: allowCallers('space of the own context as a whole'),
      appScopes: ['read_files', 'read_drive', PASSWORD_SCOPE],
      http: 'GET',
      doc: 'Space that files of the context use, and its limit',
      reply: one(QuotaData),
      auth: 'session',
    }),
  },
  { service: 'attachments' },
);
