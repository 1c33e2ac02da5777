import { Injectable } from '@nestjs/common';
import { RUNTIME_CHANGED } from '@groupware/contracts';
import { EventBus } from '@groupware/messaging';

/** Tells every process that the state it follows changed. */
@Injectable()
export class RuntimeChanges {
  constructor(private readonly events: EventBus) {}

  broadcastChange(): void {
    this.events.broadcast(RUNTIME_CHANGED, {});
  }
}
