import { fileKeeper } from '../identity';

/** The files of documents, as the move of a context sees them. */
export const keptFiles = fileKeeper('files');
