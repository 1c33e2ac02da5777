import { Injectable } from '@nestjs/common';
import { FolderErrors, type ForeignParent, type OwnedFolder } from '@groupware/contracts';
import { RANK, rightsOf } from '@groupware/folders';
import { Owners, type Request } from './owners';
import { moduleNamed } from './tree/allowed-modules';

/** Where a folder is to stand. */
export interface Place {
  readonly parent: number;
  readonly module: string;
  /** Set when another module owns the parent. */
  readonly foreignParent?: ForeignParent;
}

/** Finds out whether a folder may stand below another one. */
@Injectable()
export class ParentCheck {
  constructor(private readonly owners: Owners) {}

  /** The place of a folder of a module (default: that of the parent) below a parent. */
  async place(request: Request, parent: string, module: string | undefined): Promise<Place> {
    const wanted = module === undefined ? undefined : known(module);
    if (parent === '1' || parent === '2') {
      if (!wanted) throw FolderErrors.missingField('module');
      if (wanted === 'infostore') throw FolderErrors.moduleNotAllowed(parent, wanted);
      return { parent: Number(parent), module: wanted };
    }
    // Nothing can be made at the top, below other users, or below other system folders.
    if (/^(\d|1\d|u:\d+)$/.test(parent)) throw FolderErrors.noSubfolderPermission(parent);
    const above = await this.owners.folder(request, parent);
    const inside = wanted ?? above.module;
    if ((inside === 'infostore') !== (above.module === 'infostore'))
      throw FolderErrors.moduleNotAllowed(parent, inside);
    if (inside === above.module) return { parent: above.id, module: inside };
    if (rightsOf(above.ownRights).folder < RANK.createSubfolders) throw FolderErrors.noSubfolderPermission(parent);
    return { parent: above.id, module: inside, foreignParent: foreign(above) };
  }
}

function known(module: string): string {
  const name = moduleNamed(module);
  if (!name) throw FolderErrors.unknownModule(module);
  return name;
}

const foreign = ({ type, createdBy }: OwnedFolder): ForeignParent => ({ type, owner: createdBy });
