import { Injectable } from '@nestjs/common';
import {
  FolderErrors,
  parseFolderAddress,
  type FolderKey,
  type ForeignParent,
  type OwnedFolder,
} from '@groupware/contracts';
import { RANK, parseRights } from '@groupware/folders';
import { Owners, type FolderRequest } from './owners';
import { findModule, isLeftOut } from '../domain/content-types';
import { isSystemId } from '../domain/system-folders';

/** Modules whose folders stand below none of other modules, and hold none of them. */
const UNMIXED: ReadonlySet<string> = new Set(['infostore', 'mail']);

/** Target location of a folder. */
export interface FolderPlace {
  readonly parent: FolderKey;
  readonly module: string;
  /** Set when another module owns the parent. */
  readonly foreignParent?: ForeignParent;
}

/** Validates parents of folders. */
@Injectable()
export class ParentCheck {
  constructor(private readonly owners: Owners) {}

  /** Resolves the location of a folder of a module (default: the parent's) below a parent. */
  async resolvePlace(request: FolderRequest, parent: string, module: string | undefined): Promise<FolderPlace> {
    const wanted = module === undefined ? undefined : requireKnownModule(module);
    if (wanted && isLeftOut(wanted, request.query)) throw FolderErrors.moduleNotAllowed(parent, wanted);
    const { guest } = request.principal;
    // Guests have no folders of their own, and public ones only where they are invited.
    if (guest && isSystemId(parent)) throw FolderErrors.noSubfolderPermission(parent);
    if (parent === '1' || parent === '2') {
      if (!wanted) throw FolderErrors.missingField('module');
      if (wanted === 'infostore') throw FolderErrors.moduleNotAllowed(parent, wanted);
      return { parent: Number(parent), module: wanted };
    }
    // Folders cannot be created at the root, below other users, or below system folders of other modules.
    const system = isSystemId(parent) ? parseFolderAddress(parent) : undefined;
    if (isSystemId(parent) && !system) throw FolderErrors.noSubfolderPermission(parent);
    const above = await this.owners.getFolder(request, parent);
    const inside = wanted ?? above.module;
    if (inside !== above.module && [inside, above.module].some((each) => UNMIXED.has(each)))
      throw FolderErrors.moduleNotAllowed(parent, inside);
    // A module decides for itself what stands below its system folders.
    if (system && inside !== above.module) throw FolderErrors.noSubfolderPermission(parent);
    const isForeign = inside !== above.module;
    if ((isForeign || guest) && parseRights(above.ownRights).folder < RANK.createSubfolders)
      throw FolderErrors.noSubfolderPermission(parent);
    if (!isForeign) return { parent: above.id, module: inside };
    return { parent: above.id, module: inside, foreignParent: toForeignParent(above) };
  }
}

function requireKnownModule(module: string): string {
  const name = findModule(module);
  if (!name) throw FolderErrors.unknownModule(module);
  return name;
}

const toForeignParent = ({ type, createdBy }: OwnedFolder): ForeignParent => ({ type, owner: createdBy });
