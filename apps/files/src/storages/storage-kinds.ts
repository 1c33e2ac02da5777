import { FileStorageErrors, type UserPrincipal } from '@groupware/contracts';
import { Injectable } from '@nestjs/common';
import type { StorageKind } from './storage-kind';
import { WebDavKind } from './webdav/webdav-kind';

/** The kinds of storages elsewhere. */
@Injectable()
export class StorageKinds {
  private readonly kinds: readonly StorageKind[];

  constructor(webDav: WebDavKind) {
    this.kinds = [webDav];
  }

  /** Those of which the user may have accounts. */
  async listEnabled(user: UserPrincipal): Promise<StorageKind[]> {
    const enabled = await Promise.all(this.kinds.map((kind) => kind.isEnabledFor(user)));
    return this.kinds.filter((_kind, index) => enabled[index]);
  }

  /** The kind of a service. */
  find(service: string): StorageKind | undefined {
    return this.kinds.find(({ id }) => id === service);
  }

  /** A kind of which the user may have accounts. @throws FILE_STORAGE-0016 */
  async requireEnabled(user: UserPrincipal, service: string): Promise<StorageKind> {
    const kind = this.find(service);
    if (!kind || !(await kind.isEnabledFor(user))) throw FileStorageErrors.unknownService(service);
    return kind;
  }
}
