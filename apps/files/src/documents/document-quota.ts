import { MAX_DOCUMENTS } from '@groupware/contracts';
import { objectQuota } from '@groupware/folders';
import { DocumentRepository } from '../persistence/document.repository';

/** Limits the documents of a context. */
export class DocumentQuota extends objectQuota({
  limit: MAX_DOCUMENTS,
  module: 'infostore',
  repository: DocumentRepository,
}) {}
