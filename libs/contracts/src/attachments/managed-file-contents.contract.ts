import { UploadErrors } from '../edge/edge.errors';
import { allowCallers, defineModule, internal, value } from '../kit';
import { ManagedFileQuery } from './managed-files.contract';

/** Location of the bytes of a managed file. */
export interface ManagedFileContent {
  /** Reference in the file store; it is gone when the file is, so what is to stay is copied. */
  readonly reference: string;
  readonly name: string;
  readonly contentType: string;
  readonly sizeBytes: number;
}

/** The bytes of managed files, for modules whose texts show them. */
export const managedFileContents = defineModule(
  'managed-file-contents',
  {
    find: internal({
      access: allowCallers('files of the user who asks only'),
      calledBy: ['mail'],
      doc: 'Finds a managed file of the user who asks, and keeps it for another while',
      query: ManagedFileQuery,
      reply: value<ManagedFileContent>('where its bytes are'),
      repeatable: true,
      errors: [UploadErrors.notFound],
    }),
  },
  { service: 'attachments' },
);
