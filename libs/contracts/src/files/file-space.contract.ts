import { allowCallers, defineModule, internal, value } from '../kit';

/** Space of their context that documents use. */
export const fileSpace = defineModule(
  'file-space',
  {
    used: internal({
      access: allowCallers('a number of the own context'),
      calledBy: ['attachments'],
      doc: 'Bytes that all versions of all documents of the context use',
      reply: value<number>('bytes'),
      repeatable: true,
      deadlineMs: 2_000,
    }),
  },
  { service: 'files' },
);
