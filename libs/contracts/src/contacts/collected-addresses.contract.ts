import { allowCallers, defineModule, internal, value } from '../kit';

/** Addresses that were collected for users. */
export const collectedAddresses = defineModule(
  'collected-addresses',
  {
    folder: internal({
      access: allowCallers('the own folder of the user who asks'),
      calledBy: ['settings'],
      doc: 'The folder in which addresses are collected for the user who asks; null before the first one',
      reply: value<number | null>('the id of the folder'),
      repeatable: true,
      deadlineMs: 2_000,
    }),
  },
  { service: 'contacts' },
);
