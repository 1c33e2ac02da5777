import { Injectable } from '@nestjs/common';
import { MAX_DOCUMENTS } from '@groupware/contracts';
import { ObjectQuota } from '@groupware/folders';
import { ModuleDatabase, type Reader } from '@groupware/persistence';
import { Properties } from '@groupware/service-kit';
import { DocumentRepository } from '../persistence/document.repository';

/** Limits the documents of a context. */
@Injectable()
export class DocumentQuota extends ObjectQuota {
  protected readonly limit = MAX_DOCUMENTS;
  protected readonly module = 'filestorage';

  constructor(
    properties: Properties,
    database: ModuleDatabase,
    private readonly documents: DocumentRepository,
  ) {
    super(properties, database);
  }

  protected countObjects(db: Reader): Promise<number> {
    return this.documents.countDocuments(db);
  }
}
