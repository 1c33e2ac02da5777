import { allowCallers, defineModule, Field, internal, value } from '../kit';

/** A folder whose owner chose its end. */
export class EndingFolderQuery {
  @Field.int({ doc: 'The folder', min: 1 }) id!: number;
  @Field.int({ doc: 'The user whose it is', min: 1 }) user!: number;
}

/** Folders that their owners made for a while, such as those with the files of a mail. */
export const endingFolders = defineModule(
  'infostore-ending',
  {
    remove: internal({
      access: allowCallers('the owner said, when the folder was made, that it is to go at this time'),
      calledBy: ['mail'],
      doc: 'Deletes a folder for good, with everything in it and below it, as long as all folders are of that user; false when it is gone or stays; needs no user in the principal',
      query: EndingFolderQuery,
      reply: value<boolean>('whether it went'),
      repeatable: true,
    }),
  },
  { service: 'files' },
);
