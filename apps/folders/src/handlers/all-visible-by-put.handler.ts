import { folders, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { AllVisibleHandler } from './all-visible.handler';

/** `allVisible` by PUT. */
@Handles(folders.allVisibleByPut)
export class AllVisibleByPutHandler extends AllVisibleHandler implements Handler<typeof folders.allVisibleByPut> {
  // The decorator of a handler looks for the method in the class itself.
  override handle(call: CallOf<typeof folders.allVisibleByPut>) {
    return super.handle(call);
  }
}
