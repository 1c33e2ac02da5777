import { event, eventCatalog } from '../../kit';
import type { ShareKind } from './share-key';

/** A share as events name it. The context of the message is the owner's. */
export interface ShareNotice {
  readonly shareId: string;
  /** 0: no owner in particular. */
  readonly owner: number;
  readonly module: string;
  readonly kind: ShareKind;
  readonly folder: string | null;
  readonly item: string | null;
  readonly granteeContext: number;
  readonly entity: number;
  readonly group: boolean;
}

/** Events of shares. */
export const shareEvents = eventCatalog('admin', {
  'share.granted': event<ShareNotice>('Somebody shares something with an entity, often of another context'),
  'share.removed': event<ShareNotice>(
    'A share is gone: the module that owns the thing takes the rights away, caches drop it',
  ),
});
