import { fileKeeper } from '../identity';

/** The files of attachments, as the move of a context sees them. */
export const attachmentFiles = fileKeeper('attachments');
