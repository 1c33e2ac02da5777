import type { Type } from '@nestjs/common';
import type { CallOf, FolderOwner } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ClearFolders } from './handlers/clear-folders';
import { CreateFolder } from './handlers/create-folder';
import { FolderLimits } from './handlers/folder-limits';
import { FolderRights } from './handlers/folder-rights';
import { GetFolder } from './handlers/get-folder';
import { GrantedFolders } from './handlers/granted-folders';
import { LostFolders } from './handlers/lost-folders';
import { NotifyFolder } from './handlers/notify-folder';
import { PrepareFolder } from './handlers/prepare-folder';
import { RemoveFolders } from './handlers/remove-folders';
import { ReserveFolder } from './handlers/reserve-folder';
import { RestoreFolders } from './handlers/restore-folders';
import { GetFolderSharing } from './handlers/folder-sharing';
import { RetractShare } from './handlers/retract-share';
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
  @Handles(contract.lost)
  class LostFoldersHandler extends LostFolders {
    override handle(call: CallOf<FolderOwner['lost']>) {
      return super.handle(call);
    }
  }
  @Handles(contract.create)
  class CreateFolderHandler extends CreateFolder {
    override handle(call: CallOf<FolderOwner['create']>) {
      return super.handle(call);
    }
  }
  @Handles(contract.reserve)
  class ReserveFolderHandler extends ReserveFolder {
    override handle(call: CallOf<FolderOwner['reserve']>) {
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
  class RemoveFoldersHandler extends RemoveFolders {
    override handle(call: CallOf<FolderOwner['remove']>) {
      return super.handle(call);
    }
  }
  @Handles(contract.clear)
  class ClearFoldersHandler extends ClearFolders {
    override handle(call: CallOf<FolderOwner['clear']>) {
      return super.handle(call);
    }
  }
  @Handles(contract.restore)
  class RestoreFoldersHandler extends RestoreFolders {
    override handle(call: CallOf<FolderOwner['restore']>) {
      return super.handle(call);
    }
  }
  @Handles(contract.notify)
  class NotifyFolderHandler extends NotifyFolder {
    override handle(call: CallOf<FolderOwner['notify']>) {
      return super.handle(call);
    }
  }
  @Handles(contract.limits)
  class FolderLimitsHandler extends FolderLimits {
    override handle(call: CallOf<FolderOwner['limits']>) {
      return super.handle(call);
    }
  }
  @Handles(contract.rights)
  class FolderRightsHandler extends FolderRights {
    override handle(call: CallOf<FolderOwner['rights']>) {
      return super.handle(call);
    }
  }
  @Handles(contract.granted)
  class GrantedFoldersHandler extends GrantedFolders {
    override handle(call: CallOf<FolderOwner['granted']>) {
      return super.handle(call);
    }
  }
  @Handles(contract.prepare)
  class PrepareFolderHandler extends PrepareFolder {
    override handle(call: CallOf<FolderOwner['prepare']>) {
      return super.handle(call);
    }
  }
  @Handles(contract.sharing)
  class FolderSharingHandler extends GetFolderSharing {
    override handle(call: CallOf<FolderOwner['sharing']>) {
      return super.handle(call);
    }
  }
  @Handles(contract.retract)
  class RetractShareHandler extends RetractShare {
    override handle(call: CallOf<FolderOwner['retract']>) {
      return super.handle(call);
    }
  }
  return [
    VisibleFoldersHandler,
    GetFolderHandler,
    LostFoldersHandler,
    CreateFolderHandler,
    ReserveFolderHandler,
    UpdateFolderHandler,
    RemoveFoldersHandler,
    ClearFoldersHandler,
    RestoreFoldersHandler,
    NotifyFolderHandler,
    FolderLimitsHandler,
    FolderRightsHandler,
    GrantedFoldersHandler,
    PrepareFolderHandler,
    FolderSharingHandler,
    RetractShareHandler,
  ];
}
