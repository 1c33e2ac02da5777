import type { Type } from '@nestjs/common';
import type { CallOf, FolderOwner } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { CreateFolder } from './handlers/create-folder';
import { FolderRights } from './handlers/folder-rights';
import { GetFolder } from './handlers/get-folder';
import { RemoveFolder } from './handlers/remove-folder';
import { UpdateFolder } from './handlers/update-folder';
import { VisibleFolders } from './handlers/visible-folders';

/** Handlers for the folder contract of a module: pass them to `defineService({ handlers })`. */
export function folderHandlers(contract: FolderOwner): Type[] {
  @Handles(contract.visible)
  class VisibleFoldersHandler extends VisibleFolders {
    override handle(call: CallOf<FolderOwner['visible']>) {
      return super.handle(call);
    }
  }
  @Handles(contract.get)
  class GetFolderHandler extends GetFolder {
    override handle(call: CallOf<FolderOwner['get']>) {
      return super.handle(call);
    }
  }
  @Handles(contract.create)
  class CreateFolderHandler extends CreateFolder {
    override handle(call: CallOf<FolderOwner['create']>) {
      return super.handle(call);
    }
  }
  @Handles(contract.update)
  class UpdateFolderHandler extends UpdateFolder {
    override handle(call: CallOf<FolderOwner['update']>) {
      return super.handle(call);
    }
  }
  @Handles(contract.remove)
  class RemoveFolderHandler extends RemoveFolder {
    override handle(call: CallOf<FolderOwner['remove']>) {
      return super.handle(call);
    }
  }
  @Handles(contract.rights)
  class FolderRightsHandler extends FolderRights {
    override handle(call: CallOf<FolderOwner['rights']>) {
      return super.handle(call);
    }
  }
  return [
    VisibleFoldersHandler,
    GetFolderHandler,
    CreateFolderHandler,
    UpdateFolderHandler,
    RemoveFolderHandler,
    FolderRightsHandler,
  ];
}
